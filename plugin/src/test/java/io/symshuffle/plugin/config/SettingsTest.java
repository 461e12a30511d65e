// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pins what users may rely on: a renamed key or a changed default must be changed here, too. */
class SettingsTest {
  @Test
  void keysAndDefaultsAreStable() {
    Map<String, String> published = new LinkedHashMap<>();
    published.put("spark.symshuffle.enabled", "true");
    published.put("spark.symshuffle.required", "false");
    published.put("spark.symshuffle.heap.dir", "/dev/shm");
    published.put("spark.symshuffle.heap.size", "auto");
    published.put("spark.symshuffle.staging.size", "1m");
    published.put("spark.symshuffle.disk.dir", "auto");
    published.put("spark.symshuffle.checksum.enabled", "true");
    published.put("spark.symshuffle.read.peerMemory", "auto");
    published.put("spark.symshuffle.transfer.compression", "auto");
    published.put("spark.symshuffle.transfer.pinned", "1g");
    published.put("spark.symshuffle.device.enabled", "auto");
    published.put("spark.symshuffle.device.backend", "auto");
    published.put("spark.symshuffle.device.peerAccess", "true");
    published.put("spark.symshuffle.device.required", "false");
    published.put("spark.symshuffle.device.pes", "auto");
    published.put("spark.symshuffle.device.heap.size", "0.3");
    published.put("spark.symshuffle.device.nvshmem.home", "auto");
    published.put("spark.symshuffle.device.interface", "auto");
    published.put("spark.symshuffle.rapids.mode", "auto");
    published.put("spark.symshuffle.scheduler.smallStagesFirst", "true");
    assertEquals(
        published,
        Settings.all().stream().collect(Collectors.toMap(Setting::key, Setting::defaultText)));
  }

  @Test
  void configHasOneComponentPerSetting() {
    // The settings about GPUs are a separate record.
    int components =
        SymShuffleConfig.class.getRecordComponents().length
            - 1
            + DeviceConfig.class.getRecordComponents().length;
    assertEquals(components, Settings.count());
  }

  @ParameterizedTest
  @MethodSource("all")
  <T> void defaultsAreAllowedValues(Setting<T> setting) {
    assertEquals(setting.defaultValue(), setting.type().parse(setting.defaultText()));
  }

  static Stream<Setting<?>> all() {
    return Settings.all().stream();
  }
}
