// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.host.HeapPlace;
import io.symshuffle.heap.host.HeapSizing;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The machine under examination.
 *
 * @param settings Spark's settings for the application
 * @param probe answers what cannot be read from files
 */
record Host(
    Path root,
    Map<String, String> environment,
    Map<String, String> settings,
    List<Path> classPath,
    HostProbe probe) {

  Host {
    environment = Map.copyOf(environment);
    settings = Map.copyOf(settings);
    classPath = List.copyOf(classPath);
  }

  /** Returns a path of the machine, for example {@code proc/self/limits}. */
  Path path(String relative) {
    return root.resolve(relative);
  }

  /** Returns the lines of a file; none if it cannot be read. */
  List<String> lines(String relative) {
    try {
      return Files.readAllLines(path(relative), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Returns the target of a link in /proc, as text; empty if it cannot be read. */
  Optional<String> link(String relative) {
    try {
      return Optional.of(Files.readSymbolicLink(path(relative)).toString());
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  /** Returns the entries of a folder that match; none if it cannot be listed. */
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

  String setting(String key, String defaultValue) {
    return settings.getOrDefault(key, defaultValue).trim();
  }

  /** Returns whether a setting is true; false if it is not set. */
  boolean isTrue(String key) {
    return setting(key, "false").equalsIgnoreCase("true");
  }

  /** Returns the plugins that Spark is to load, in their order. */
  List<String> plugins() {
    return List.of(setting("spark.plugins", "").split("\\s*,\\s*", -1));
  }

  /** Returns an environment variable that is set and not blank. */
  Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /** Returns an environment variable of the executors: from the settings, else from here. */
  Optional<String> executorVariable(String name) {
    return Optional.of(setting("spark.executorEnv." + name, ""))
        .filter(value -> !value.isEmpty())
        .or(() -> variable(name).map(String::trim));
  }

  /** Returns the GPUs that this process sees. */
  List<GpuFacts.Gpu> gpus() {
    return probe.gpus().gpus();
  }

  /** Returns the folder for heaps according to the settings. */
  Path heapFolder() {
    return ConfigReader.valueOf(settings, Settings.HEAP_DIR);
  }

  /**
   * Returns the folder where heaps will be: on a local disk if {@link #heapFolder} cannot be used
   * or is too small, as executors choose it.
   */
  Path usedHeapFolder() {
    List<HeapPlace> disks = new ArrayList<>();
    diskFolder().ifPresent(folder -> disks.add(probe.place(folder, Settings.DISK_DIR.key())));
    // Spark creates folders that do not exist.
    localFolders().forEach(folder -> disks.add(probe.place(existing(folder), localFoldersKey())));
    try {
      return HeapSizing.decide(
              probe.place(heapFolder(), Settings.HEAP_DIR.key()),
              disks,
              probe.memory(),
              0,
              heapBytes(),
              1)
          .base();
    } catch (HeapException e) {
      // Executors cannot start.
      return heapFolder();
    }
  }

  /** Returns the configured size of one heap; empty if it is automatic or invalid. */
  OptionalLong heapBytes() {
    Optional<ByteSize> size = ConfigReader.valueOf(settings, Settings.HEAP_SIZE);
    return size.isPresent() ? OptionalLong.of(size.get().bytes()) : OptionalLong.empty();
  }

  /** Returns the folder for what does not fit the heap; empty for Spark's local folders. */
  Optional<Path> diskFolder() {
    return ConfigReader.valueOf(settings, Settings.DISK_DIR);
  }

  /** Returns the variable or setting that names Spark's local folders. */
  String localFoldersKey() {
    return Stream.of("SPARK_LOCAL_DIRS", "LOCAL_DIRS")
        .filter(name -> variable(name).isPresent())
        .findFirst()
        .orElse("spark.local.dir");
  }

  /** Returns Spark's local folders, at least one; they need not exist. */
  List<Path> localFolders() {
    String key = localFoldersKey();
    List<Path> folders =
        Stream.of(variable(key).orElse(setting(key, "")).split(",", -1))
            .map(String::trim)
            .filter(text -> !text.isEmpty())
            .map(text -> Path.of(text).toAbsolutePath().normalize())
            .toList();
    return folders.isEmpty() ? List.of(Path.of("/tmp")) : folders;
  }

  /** Returns a folder, or the nearest one above it that exists. */
  Path existing(Path folder) {
    Path found = folder;
    while (found.getParent() != null
        && !Files.exists(path(Path.of("/").relativize(found).toString()))) {
      found = found.getParent();
    }
    return found;
  }
}
