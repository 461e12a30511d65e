// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/**
 * A folder with tables of a suite, each generated when a query first needs it. A file lists the
 * complete tables with their sizes; it is replaced after they are written. Tables that it does not
 * list, or whose files have another size, are generated again.
 */
public final class SuiteData {
  /** Version of the tables; a new one makes older tables be generated again. */
  private static final String FORMAT = "3";

  /** Parquet files of a scale factor of 1, all tables: 0.3 GB, with room to spare. */
  private static final double BYTES_PER_SCALE = 0.4 * (1 << 30);

  private static final Duration LOCK_PAUSE = Duration.ofMillis(100);

  private static final String ROWS = ".rows";
  private static final String FILES = ".files";

  private final Path folder;
  private final String marker;
  private final String lockFile;
  private final Suite suite;
  private final double scale;
  private final Console console;

  /**
   * Describes a folder; nothing is read or written yet.
   *
   * @param folder the folder; created when it is needed
   */
  public SuiteData(Path folder, Suite suite, double scale, Console console) {
    this.folder = folder.toAbsolutePath();
    this.marker = "symshuffle-" + suite.name() + ".properties";
    this.lockFile = "symshuffle-" + suite.name() + ".lock";
    this.suite = suite;
    this.scale = scale;
    this.console = console;
  }

  /**
   * Generates missing tables.
   *
   * @param timeToStart time limit for its start
   * @param limit time limit for generating, and for another command that does so
   */
  public Path ensure(
      List<String> wanted,
      ApplicationSpec generator,
      SparkRuntime runtime,
      Duration timeToStart,
      Duration limit) {
    try {
      Files.createDirectories(folder);
      console.status("waiting until no other command generates tables in " + folder);
      try (FileChannel file =
              FileChannel.open(
                  folder.resolve(lockFile), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = lock(file, limit)) {
        Map<String, String> there = complete(true);
        List<String> missing = wanted.stream().filter(table -> !there.containsKey(table)).toList();
        if (lock.isValid() && !missing.isEmpty()) {
          checkSpace(folder);
          makeRoom(there.keySet(), missing);
          Map<String, String> all = new TreeMap<>(there);
          generate(missing, generator, runtime, timeToStart, limit)
              .forEach((table, rows) -> all.put(table, Long.toString(rows)));
          mark(all);
        }
      }
      return folder;
    } catch (IOException e) {
      throw new CliException(
          "Cannot write the data to %s: %s.".formatted(folder, Failures.reason(e)), e);
    }
  }

  /**
   * Checks before applications start that tables which are missing fit on the disk.
   *
   * @throws CliException if they do not, if it is no folder, or has those of another scale
   */
  void check(List<String> wanted) {
    try {
      if (!complete(false).keySet().containsAll(wanted)) {
        Path existing = folder;
        while (!Files.exists(existing)) {
          existing = existing.getParent();
        }
        if (!Files.isDirectory(existing)) {
          throw CliException.wrongUsage(
              "%s is not a folder: choose another one with --data.".formatted(existing));
        }
        checkSpace(existing);
      }
    } catch (IOException e) {
      throw new CliException(
          "Cannot read the data in %s: %s.".formatted(folder, Failures.reason(e)), e);
    }
  }

  /** Tables that are there need no more space, and those that are not complete are deleted. */
  private void checkSpace(Path existing) throws IOException {
    double needed = scale * BYTES_PER_SCALE;
    for (String table : suite.tables().names()) {
      needed -= sizes(table).getSum();
    }
    long free = Files.getFileStore(existing).getUsableSpace();
    if (free < needed) {
      throw new CliException(
          "%s tables at scale %s need about %s more, but %s has %s free: choose a smaller --scale, or another folder with --data."
              .formatted(
                  suite.title(),
                  Figures.scale(scale),
                  ByteSize.text((long) Math.min(needed, Long.MAX_VALUE)),
                  folder,
                  ByteSize.text(free)));
    }
  }

  private FileLock lock(FileChannel file, Duration limit) throws IOException {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      Optional<FileLock> lock = Folders.tryLock(file);
      while (lock.isEmpty()) {
        if (System.nanoTime() - deadline > 0) {
          throw new CliException(
              "Another command has been using %s for %d s: wait for it, end it, or choose another folder with --data."
                  .formatted(folder, limit.toSeconds()));
        }
        Thread.sleep(LOCK_PAUSE);
        lock = Folders.tryLock(file);
      }
      return lock.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException("Interrupted.", e);
    } finally {
      console.status("");
    }
  }

  /**
   * Returns the complete tables, each with its number of rows.
   *
   * @param says whether to name the tables that are not
   */
  private Map<String, String> complete(boolean says) throws IOException {
    Path file = folder.resolve(marker);
    if (!Files.exists(file)) {
      return Map.of();
    }
    Properties properties = new Properties();
    try (var in = Files.newInputStream(file)) {
      properties.load(in);
    }
    if (!Double.toString(scale).equals(properties.getProperty("scale"))) {
      throw CliException.wrongUsage(
          "The tables in "
              + folder
              + " have scale "
              + properties.getProperty("scale")
              + ", not "
              + scale
              + ": choose another folder with --data, or that scale.");
    }
    Map<String, String> rows = new TreeMap<>();
    List<String> damaged = new ArrayList<>();
    for (String table : suite.tables().names()) {
      String count = properties.getProperty(table + ROWS);
      if (count != null && FORMAT.equals(properties.getProperty("format"))) {
        if (files(table).equals(properties.getProperty(table + FILES))) {
          rows.put(table, count);
        } else {
          damaged.add(table);
        }
      }
    }
    if (says && !damaged.isEmpty()) {
      console.line("Not complete in %s: %s".formatted(folder, String.join(", ", damaged)));
    }
    return rows;
  }

  /** Returns the number and the size of the files of a table. */
  private String files(String table) throws IOException {
    LongSummaryStatistics sizes = sizes(table);
    return sizes.getCount() + " files, " + sizes.getSum() + " bytes";
  }

  private LongSummaryStatistics sizes(String table) throws IOException {
    LongSummaryStatistics sizes = new LongSummaryStatistics();
    if (Files.isDirectory(folder.resolve(table))) {
      try (DirectoryStream<Path> parts =
          Files.newDirectoryStream(folder.resolve(table), "*.parquet")) {
        for (Path part : parts) {
          sizes.accept(Files.size(part));
        }
      }
    }
    return sizes;
  }

  private Map<String, Long> generate(
      List<String> missing,
      ApplicationSpec spec,
      SparkRuntime runtime,
      Duration timeToStart,
      Duration limit) {
    console.line(
        "Generating " + suite.title() + " tables at scale " + scale + " in " + folder + " (once)");
    TerminationHook interruption =
        new TerminationHook(
            () ->
                console.end(
                    "Interrupted: ending the generator. Tables that are not complete in "
                        + folder
                        + " will be generated again."));
    try (Application generator = Application.start(spec, runtime, console)) {
      generator.awaitReady(timeToStart);
      long start = System.nanoTime();
      Reply reply =
          generator.ask(
              new Request.Generate(suite.name(), missing, scale, folder.toString()),
              "generating the tables",
              limit,
              step -> {
                console.steps(step.done(), step.total());
                console.status("generating, " + step.what() + " done");
              });
      console.steps(0, 0);
      console.status("stopping Spark");
      return switch (reply) {
        case Reply.Generated generated -> logged(generated.rows(), start);
        case Reply.Failed failed ->
            throw new CliException(
                "The tables were not generated: "
                    + failed.message()
                    + ". The log: "
                    + generator.log());
        default -> throw new IllegalStateException("unexpected reply: " + reply);
      };
    } finally {
      interruption.close();
      console.status("");
    }
  }

  /**
   * Deletes what an interrupted run left of the missing tables, or of all tables if none is
   * complete. Refuses a folder that contains anything else.
   */
  private void makeRoom(Set<String> there, List<String> missing) throws IOException {
    Folders.checkOwn(
        folder,
        name ->
            suite.tables().names().contains(name)
                || name.equals(lockFile)
                || name.startsWith(marker),
        "--data");
    if (there.isEmpty()) {
      Files.deleteIfExists(folder.resolve(marker));
    }
    for (String table : there.isEmpty() ? suite.tables().names() : missing) {
      Folders.delete(folder.resolve(table));
    }
  }

  private Map<String, Long> logged(Map<String, Long> rows, long start) {
    long total = rows.values().stream().mapToLong(Long::longValue).sum();
    long seconds = Math.max(1, Duration.ofNanos(System.nanoTime() - start).toSeconds());
    console.line(
        "Generated %s rows in %d tables in %d s: %s rows per second"
            .formatted(Figures.count(total), rows.size(), seconds, Figures.count(total / seconds)));
    return rows;
  }

  private void mark(Map<String, String> rows) throws IOException {
    StringBuilder text = new StringBuilder("format=" + FORMAT + "\nscale=" + scale + "\n");
    for (Map.Entry<String, String> table : rows.entrySet()) {
      text.append(table.getKey() + ROWS + "=" + table.getValue() + "\n");
      text.append(table.getKey() + FILES + "=" + files(table.getKey()) + "\n");
    }
    ReportFile.write(folder.resolve(marker), text.toString());
  }
}
