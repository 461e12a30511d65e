// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.Settings;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/** What the settings ask of a host; what cannot be read is left to {@link SettingsCheck}. */
final class Expectation {
  private static final long GIB = 1L << 30;

  private Expectation() {}

  static Path heapDir(Host host) {
    return Path.of(host.setting(Settings.HEAP_DIR.key(), Settings.HEAP_DIR.defaultText()));
  }

  /** {@return what one heap shall take, if that is set} */
  static OptionalLong heapBytes(Host host) {
    Optional<String> text = Optional.ofNullable(host.settings().get(Settings.HEAP_SIZE.key()));
    try {
      return text.filter(t -> !t.equals("auto"))
          .map(t -> OptionalLong.of(ByteSize.parse(t.trim()).bytes()))
          .orElse(OptionalLong.empty());
    } catch (IllegalArgumentException e) {
      return OptionalLong.empty();
    }
  }

  /** {@return the folder on disk that takes what the heap has no room for} */
  static Path diskDir(Host host) {
    String own = host.setting(Settings.DISK_DIR.key(), "auto");
    String local =
        host.variable("SPARK_LOCAL_DIRS")
            .or(() -> host.variable("LOCAL_DIRS"))
            .orElse(host.setting("spark.local.dir", "/tmp"));
    return Path.of(own.equals("auto") ? local.split(",", -1)[0].trim() : own);
  }

  static String gib(long bytes) {
    return bytes >= GIB
        ? "%.1f GiB".formatted(bytes / (double) GIB)
        : "%d MiB".formatted(bytes >> 20);
  }
}
