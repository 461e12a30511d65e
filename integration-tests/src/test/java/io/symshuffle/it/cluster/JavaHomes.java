// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Java runtimes of other versions than the one of this test. */
final class JavaHomes {
  private static final Path INSTALLED = Path.of("/usr/lib/jvm");

  private JavaHomes() {}

  /**
   * Returns the folder in the environment variable {@code JAVA17_HOME} (for version 17), or the
   * first of the version in {@code /usr/lib/jvm}.
   *
   * @param version feature version of Java
   */
  public static Optional<Path> find(int version) {
    String home = System.getenv("JAVA%d_HOME".formatted(version));
    if (home != null) {
      return Optional.of(Path.of(home));
    }
    if (!Files.isDirectory(INSTALLED)) {
      return Optional.empty();
    }
    try (Stream<Path> homes = Files.list(INSTALLED)) {
      return homes.sorted().filter(path -> isVersion(path, version)).findFirst();
    } catch (IOException e) {
      throw new UncheckedIOException("listing " + INSTALLED, e);
    }
  }

  private static boolean isVersion(Path home, int version) {
    Path release = home.resolve("release");
    try {
      return Files.isExecutable(home.resolve("bin/java"))
          && Files.isRegularFile(release)
          && Files.readString(release).contains("JAVA_VERSION=\"%d.".formatted(version));
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + release, e);
    }
  }
}
