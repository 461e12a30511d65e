// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/** The jars of an application: from SPARK_HOME, this class path and the settings. */
final class SparkJars {
  /** How an absolute path on this machine starts. */
  private static final Pattern LOCAL = Pattern.compile("(?:(?:file|local):)?/+(?=[^/])");

  private final List<Path> jars;

  private SparkJars(List<Path> jars) {
    this.jars = jars;
  }

  static SparkJars of(Host host) {
    // SPARK_HOME first: bin/symshuffle has the jars of its own Spark on the class path.
    List<Path> jars = new ArrayList<>();
    host.variable("SPARK_HOME").ifPresent(home -> jars.addAll(folder(host, home + "/jars")));
    jars.addAll(host.classPath());
    for (String key :
        List.of("spark.jars", "spark.driver.extraClassPath", "spark.executor.extraClassPath")) {
      // The slashes after a scheme remain: file:///opt/a.jar becomes ///opt/a.jar.
      for (String entry : host.setting(key, "").split("[,:]\\s*", -1)) {
        if (entry.endsWith("/*")) {
          jars.addAll(folder(host, entry.substring(0, entry.length() - 2)));
        } else if (entry.endsWith(".jar")) {
          jars.add(at(host, entry));
        }
      }
    }
    return new SparkJars(jars);
  }

  /** Returns the jars whose names match, each file name once. */
  Map<String, Path> named(Pattern name) {
    Map<String, Path> found = new LinkedHashMap<>();
    for (Path jar : jars) {
      String file = String.valueOf(jar.getFileName());
      if (name.matcher(file).matches()) {
        found.putIfAbsent(file, jar);
      }
    }
    return found;
  }

  /** Returns the first match of a jar's name. */
  Optional<Matcher> first(Pattern name) {
    return named(name).keySet().stream().map(name::matcher).filter(Matcher::matches).findFirst();
  }

  /** Returns whether one of the jars, or of the folders on the class path, has a class. */
  boolean contain(String className) {
    String entry = className.replace('.', '/') + ".class";
    return jars.stream().anyMatch(jar -> contains(jar, entry));
  }

  private static boolean contains(Path jar, String entry) {
    if (Files.isDirectory(jar)) {
      return Files.exists(jar.resolve(entry));
    }
    if (!Files.isReadable(jar)) {
      return false;
    }
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.getEntry(entry) != null;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the files of {@code spark.jars} that should be on this machine and are not. */
  static List<String> missing(Host host) {
    return entries(host, "spark.jars")
        .filter(entry -> LOCAL.matcher(entry).lookingAt())
        .map(entry -> LOCAL.matcher(entry).replaceFirst("/"))
        .filter(path -> !Files.exists(at(host, path)))
        .toList();
  }

  /** Returns whether Spark gets some jars from elsewhere, which cannot be read here. */
  static boolean comeFromElsewhere(Host host) {
    return !host.setting("spark.jars.packages", "").isEmpty()
        || entries(host, "spark.jars").anyMatch(entry -> !LOCAL.matcher(entry).lookingAt());
  }

  private static Stream<String> entries(Host host, String key) {
    return Arrays.stream(host.setting(key, "").split(",", -1))
        .map(String::trim)
        .filter(entry -> !entry.isEmpty());
  }

  private static List<Path> folder(Host host, String folder) {
    Path path = at(host, folder);
    return Files.isDirectory(path) ? Host.list(path, "*.jar") : List.of();
  }

  private static Path at(Host host, String path) {
    return host.root().resolve(path.replaceFirst("^/+", ""));
  }

  static List<Path> classPath(String text) {
    return Arrays.stream(text.split(":", -1))
        .filter(entry -> !entry.isBlank())
        .map(Path::of)
        .toList();
  }
}
