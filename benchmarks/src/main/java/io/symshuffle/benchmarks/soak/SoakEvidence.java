// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.SoakRow;
import io.symshuffle.benchmarks.protocol.SoakTask;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Keeps what is known about a wrong execution in a folder: its values, the rows around the wrong
 * ones when they are computed again, the state of the GPUs, and all logs and event logs.
 */
final class SoakEvidence {
  /** Keys on each side of a wrong one. */
  private static final int NEIGHBORS = 16;

  private static final Duration TIME_FOR_GPUS = Duration.ofSeconds(30);

  /** More about a wrong task. */
  record Details(WrongTask task, String place, List<SoakRow> computedAgain) {}

  /** The content of {@code wrong.json}. */
  record Report(WrongExecution execution, Request.Soak query, List<Details> tasks) {}

  private final Path folder;
  private final List<Path> logs;
  private Optional<Path> current = Optional.empty();

  /**
   * Prepares to collect evidence.
   *
   * @param folder parent of the folder with evidence
   * @param logs folders whose logs belong to the evidence
   */
  SoakEvidence(Path folder, List<Path> logs) {
    this.folder = folder.resolve("evidence");
    this.logs = logs;
  }

  /** Creates the folder of a wrong execution, or replaces it. */
  Path create(String name) throws IOException {
    Path created = folder.resolve(name);
    Folders.delete(created);
    Files.createDirectories(created);
    current = Optional.of(created);
    return created;
  }

  /** Asks the application, which still runs, for details. */
  void collect(
      Application application, Request.Soak query, WrongExecution execution, Duration limit)
      throws IOException {
    Path into = Path.of(execution.evidence());
    List<Details> details = new ArrayList<>();
    for (WrongTask task : execution.tasks()) {
      details.add(details(application, query, task, limit));
      // Written after each task, since the application may be damaged.
      JsonFile.write(new Report(execution, query, details), into.resolve("wrong.json"));
    }
    writeGpus(into.resolve("gpus.txt"));
  }

  /** Copies the logs, when all applications have ended. Does nothing without evidence. */
  void copyLogs() throws IOException {
    if (current.isEmpty()) {
      return;
    }
    for (Path source : logs) {
      try (Stream<Path> files = Files.walk(source)) {
        for (Path file : files.filter(file -> isLog(source, file)).toList()) {
          Path copy = current.get().resolve(source.getParent().relativize(file));
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy);
        }
      }
    }
  }

  private static Details details(
      Application application, Request.Soak query, WrongTask wrong, Duration limit) {
    SoakTask computed = wrong.computed();
    Set<Long> centers = new LinkedHashSet<>();
    if (computed != null && computed.firstWrong() != null) {
      centers.add(computed.firstWrong());
      centers.add(computed.lastWrong());
    }
    List<SoakRow> rows = new ArrayList<>();
    String place = "";
    try {
      for (long center : centers.isEmpty() ? Set.of(-1L - NEIGHBORS) : centers) {
        Request request =
            new Request.SoakAgain(
                query, wrong.expected().task(), center - NEIGHBORS, center + NEIGHBORS + 1);
        Reply reply = application.ask(request, "computing rows again", limit, step -> {});
        if (reply instanceof Reply.SoakedAgain again) {
          place = again.place();
          rows.addAll(again.rows());
        } else {
          place = reply.toString();
        }
      }
    } catch (CliException e) {
      place = e.getMessage();
    }
    return new Details(wrong, place, rows.stream().distinct().toList());
  }

  /**
   * Logs of drivers, masters, workers and executors, of crashes, and event logs; no jars, and
   * nothing from the local folders of executors, which are deleted when they end as they should.
   */
  static boolean isLog(Path source, Path file) {
    for (Path name : source.relativize(file)) {
      if (name.toString().equals("local")) {
        return false;
      }
    }
    return Files.isRegularFile(file) && !file.toString().matches(".*\\.(jar|so|crc|sh)");
  }

  /** Errors of the memory, the links and the driver; best effort. */
  private static void writeGpus(Path file) throws IOException {
    try {
      Process process =
          new ProcessBuilder("nvidia-smi", "-q")
              .redirectErrorStream(true)
              .redirectOutput(file.toFile())
              .start();
      if (!process.waitFor(TIME_FOR_GPUS.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      Files.writeString(file, e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
