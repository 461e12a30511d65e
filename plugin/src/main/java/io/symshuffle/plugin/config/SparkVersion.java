// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of Spark without its patch level, for example 4.1. Each has a SymShuffle jar, since
 * Spark changes internal classes between such versions, but rarely between patch levels.
 *
 * @param text such as {@code 4.1}
 */
public record SparkVersion(String text) {
  /** The versions that have a jar, oldest first. */
  public static final List<SparkVersion> SUPPORTED =
      List.of(new SparkVersion("4.0"), new SparkVersion("4.1"), new SparkVersion("4.2"));

  private static final Pattern FULL = Pattern.compile("(\\d+\\.\\d+)([.-].*)?");
  private static final Properties BUILD = readBuild();

  /** Returns the version that this jar is built for. */
  public static SparkVersion ofThisJar() {
    return new SparkVersion(BUILD.getProperty("spark"));
  }

  /**
   * Returns the version without its patch level.
   *
   * @param full for example {@code 4.1.3} or {@code 4.2.0-preview5}
   */
  public static SparkVersion of(String full) {
    Matcher match = FULL.matcher(full);
    return new SparkVersion(match.matches() ? match.group(1) : full);
  }

  /** Returns the file name of the jar for this version; empty if there is no such jar. */
  public Optional<String> jar() {
    return SUPPORTED.contains(this)
        ? Optional.of(
            "symshuffle-spark-%s_2.13-%s.jar".formatted(text, BUILD.getProperty("version")))
        : Optional.empty();
  }

  /**
   * Returns what to do if this jar is not built for a version; empty if it is.
   *
   * @param full the version of the Spark that runs, for example {@code 4.1.3}
   */
  public static Optional<String> mismatch(String full) {
    SparkVersion running = of(full);
    if (running.equals(ofThisJar())) {
      return Optional.empty();
    }
    return Optional.of(
        "this jar is built for Spark %s, but this is Spark %s: %s."
            .formatted(
                ofThisJar().text(),
                full,
                running
                    .jar()
                    .map(jar -> "use " + jar)
                    .orElse("no SymShuffle jar supports that version")));
  }

  private static Properties readBuild() {
    Properties build = new Properties();
    try (InputStream file = SparkVersion.class.getResourceAsStream("build.properties")) {
      build.load(requireNonNull(file, "build.properties is missing"));
      return build;
    } catch (IOException e) {
      throw new UncheckedIOException("reading build.properties", e);
    }
  }
}
