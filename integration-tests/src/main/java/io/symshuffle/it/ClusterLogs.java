// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import io.symshuffle.benchmarks.launch.WorkerCluster;
import io.symshuffle.it.process.SparkHome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The logs of a test application.
 *
 * @param folder for logs and local files
 */
record ClusterLogs(ClusterSpec spec, Path folder, String application) {
  /** Returns the driver's log so far, which covers everything in this JVM since the start. */
  String driver() {
    return read(folder.resolve("driver.log"));
  }

  /**
   * Copies driver log, executor logs and event log into a folder.
   *
   * @param target created if missing
   */
  void save(Path target) {
    copyIfThere(folder.resolve("driver.log"), target.resolve("driver.log"));
    Folders.copy(folder.resolve("events"), target.resolve("events"));
    try (var processLogs = Files.newDirectoryStream(folder, "*.log")) {
      processLogs.forEach(log -> copyIfThere(log, target.resolve(log.getFileName())));
    } catch (IOException e) {
      throw new UncheckedIOException("logs of " + folder, e);
    }
    for (Path work : workFolders()) {
      Folders.under(work)
          .filter(path -> path.getFileName().toString().matches("stdout|stderr"))
          .forEach(
              path ->
                  copyIfThere(path, target.resolve("executors").resolve(work.relativize(path))));
    }
  }

  /** Returns the folders in which workers keep the output of executors. */
  List<Path> workFolders() {
    return switch (spec.kind()) {
      case LOCAL -> List.of();
      case LOCAL_CLUSTER -> List.of(SparkHome.ofEnvironment().resolve("work").resolve(application));
      case STANDALONE, HOSTS ->
          IntStream.range(0, spec.executors())
              .mapToObj(worker -> WorkerCluster.workFolder(folder, worker).resolve(application))
              .toList();
    };
  }

  private static void copyIfThere(Path file, Path target) {
    if (Files.isRegularFile(file)) {
      try {
        Files.createDirectories(target.getParent());
        Files.write(target, Files.readAllBytes(file));
      } catch (IOException e) {
        throw new UncheckedIOException("copying %s to %s".formatted(file, target), e);
      }
    }
  }

  private static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + file, e);
    }
  }
}
