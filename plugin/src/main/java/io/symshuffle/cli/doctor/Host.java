// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The machine under examination.
 *
 * @param root the root of its file system
 * @param environment environment variables
 * @param settings Spark's settings for the application
 * @param classPath what this process was started with
 * @param instruments what cannot be read from files
 */
record Host(
    Path root,
    Map<String, String> environment,
    Map<String, String> settings,
    List<Path> classPath,
    Instruments instruments) {
  Host {
    requireNonNull(root, "root is null");
    environment = Map.copyOf(environment);
    settings = Map.copyOf(settings);
    classPath = List.copyOf(classPath);
    requireNonNull(instruments, "instruments is null");
  }

  /** {@return a path of the machine, for example {@code proc/self/limits}} */
  Path path(String relative) {
    return root.resolve(relative);
  }

  /** {@return the lines of a file; none if it cannot be read} */
  List<String> lines(String relative) {
    try {
      return Files.readAllLines(path(relative), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return List.of();
    }
  }

  /** {@return what a link of /proc points to, as text; empty if it cannot be read} */
  Optional<String> link(String relative) {
    try {
      return Optional.of(Files.readSymbolicLink(path(relative)).toString());
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  /** {@return the entries of a folder that match; none if it cannot be listed} */
  static List<Path> list(Path folder, String glob) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, glob)) {
      entries.forEach(found::add);
    } catch (IOException e) {
      return List.of();
    }
    found.sort(null);
    return found;
  }

  /** {@return a setting, or what stands for it} */
  String setting(String key, String otherwise) {
    return settings.getOrDefault(key, otherwise).trim();
  }

  /** {@return an environment variable that is set and not blank} */
  Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }
}
