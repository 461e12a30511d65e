// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/** Reads settings from a file in the format of spark-defaults.conf, as spark-submit does. */
public final class SparkDefaults {
  private SparkDefaults() {}

  /**
   * Reads the file that spark-submit would read.
   *
   * @param named the file that the user names, if any
   * @param environment environment variables, which locate Spark's own file
   * @return the settings, modifiable; empty if there is no file
   * @throws CliException if the named file cannot be read
   */
  public static Map<String, String> load(Optional<Path> named, Map<String, String> environment) {
    if (named.isPresent()) {
      return read(named.get());
    }
    String folder = environment.get("SPARK_CONF_DIR");
    String home = environment.get("SPARK_HOME");
    Path usual =
        folder != null
            ? Path.of(folder, "spark-defaults.conf")
            : Path.of(home == null ? "/nonexistent" : home, "conf", "spark-defaults.conf");
    return Files.isReadable(usual) ? read(usual) : new TreeMap<>();
  }

  /**
   * Reads a file.
   *
   * @param file lines with a key and a value, separated by spaces or an equals sign; # starts a
   *     comment
   * @return the settings, modifiable
   * @throws CliException if it cannot be read
   */
  public static Map<String, String> read(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException e) {
      String reason = Files.isDirectory(file) ? file + " is a folder" : Failures.reason(e);
      throw new CliException("Cannot read settings: %s.".formatted(reason), e);
    } catch (IllegalArgumentException e) {
      throw new CliException(
          "Cannot read settings from %s: %s.".formatted(file, e.getMessage()), e);
    }
    Map<String, String> settings = new TreeMap<>();
    for (String key : properties.stringPropertyNames()) {
      settings.put(key, properties.getProperty(key).trim());
    }
    return settings;
  }
}
