// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.benchmarks.launch.MemoryGroup;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.RowsComparison;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.ResultColumns;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.cli.CliException;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs random queries on applications with faults and compares the answers with those of an
 * application with Spark's sort shuffle and without faults. A round is one application; at its end,
 * all shuffles are removed and leaks are counted.
 */
final class ChaosSoak {
  /**
   * Time limit of a job, which takes a second or two, half a minute with retries, or several
   * minutes if the machine is very busy.
   */
  private static final Duration JOB_LIMIT = Duration.ofMinutes(10);

  /** Takes half a minute, or several if the machine is very busy. */
  private static final Duration START_LIMIT = Duration.ofMinutes(10);

  private static final Duration LEAK_LIMIT = Duration.ofMinutes(3);
  private static final Duration GPU_LIMIT = Duration.ofSeconds(10);

  /** Number of jobs after which the driver removes unused shuffles. */
  private static final int JOBS_TO_CLEAN = 10;

  /** Share of the queries that run twice on the same plan. */
  private static final double TWICE_SHARE = 0.15;

  /** The names of what a soak writes into its folder. */
  private static final Pattern OWN =
      Pattern.compile(
          "rows|sort|symshuffle-\\d+(-cluster|-disks|-hosts)?|faults-\\d+\\.log|history-\\d+|failing_calls\\.so");

  private final SparkRuntime runtime;
  private final ChaosSite site;
  private final Path folder;
  private final long seed;
  private final Console console;
  private final Random random;
  private final List<String> pool;
  private final Map<String, Answer> expected = new HashMap<>();
  private final ChaosCounts counts = new ChaosCounts();
  private Optional<FailingCalls> failingCalls = Optional.empty();
  private RunInfo info;

  /** Those of the current round; null before the first one. */
  private volatile OutsideFaults faults;

  /** The answer of the sort shuffle: a file with rows, and their columns. */
  private record Answer(Path rows, ResultColumns columns) {}

  ChaosSoak(SparkRuntime runtime, ChaosSite site, Path folder, long seed, Console console) {
    this.runtime = runtime;
    this.site = site;
    this.folder = folder;
    this.seed = seed;
    this.console = console;
    this.random = new Random(seed);
    this.pool = site.queries(random);
  }

  /** Returns the circumstances when the first application had started; null if none has. */
  RunInfo info() {
    return info;
  }

  /**
   * Checks that a folder has no files except those of an earlier soak.
   *
   * @throws CliException if it has
   */
  static void checkFolder(Path folder) {
    Folders.checkOwn(folder, OWN.asMatchPredicate(), "--out");
  }

  /**
   * Ends all processes at once while this one is ending, so that {@link #run} returns what it has.
   * May be called from any thread.
   */
  void stop() {
    OutsideFaults current = faults;
    if (current != null) {
      current.close();
    }
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }

  /**
   * Runs the soak, or the beginning of it if this process is ending. Deletes the folder first, see
   * {@link #checkFolder}.
   *
   * @param time total duration, without the start of applications
   * @param rounds number of applications that share it
   * @param jobs minimum number of jobs of each
   */
  ChaosCounts run(Duration time, int rounds, int jobs) throws IOException {
    Folders.delete(folder);
    Files.createDirectories(folder.resolve("rows"));
    if (site.mayFailCalls()) {
      failingCalls = FailingCalls.compile(folder);
      if (failingCalls.isEmpty()) {
        console.line("No call of the C library fails, because gcc cannot compile a library here.");
      }
    }
    try (Application sort =
        Application.start(site.reference(folder.resolve("sort")), runtime, console)) {
      sort.awaitReady(START_LIMIT);
      for (int round = 0; round < rounds && !TerminationHook.isEnding(); round++) {
        round(sort, round, time.dividedBy(rounds), jobs);
      }
    }
    return counts;
  }

  private void round(Application sort, int number, Duration time, int jobs) throws IOException {
    ChaosRound round = site.round(seed + number);
    Path heaps = Path.of("/dev/shm", "symshuffle-chaos-" + ProcessHandle.current().pid());
    Files.createDirectories(heaps);
    Optional<MemoryGroup> group = site.memoryGroup();
    try {
      round(sort, round, number, time, jobs, heaps, group);
    } finally {
      Folders.delete(heaps);
      if (group.isPresent()) {
        group.get().close();
      }
    }
    console.line("round %d (%s): %s".formatted(number + 1, round.name(), counts.line()));
  }

  private void round(
      Application sort,
      ChaosRound round,
      int number,
      Duration time,
      int jobs,
      Path heaps,
      Optional<MemoryGroup> group)
      throws IOException {
    Path log = folder.resolve("faults-" + number + ".log");
    Path history = folder.resolve("history-" + number);
    String name = "symshuffle-" + number;
    counts.applications++;
    long gpuBytes = site.gpuBytes();
    try (ChaosSite.Target target =
            site.start(
                name,
                settings(round, number, heaps, log, history),
                group,
                folder.resolve(name),
                console);
        OutsideFaults outside =
            new OutsideFaults(target.executors(), heaps, group, round, random, counts)) {
      faults = outside;
      Application ours = target.application();
      Reply.Ready started = ours.awaitReady(START_LIMIT);
      info = info == null ? RunInfo.now(site.where(), started, Map.of()) : info;
      long end = System.nanoTime() + time.toNanos();
      for (int job = 1; job <= jobs || System.nanoTime() < end; job++) {
        job(sort, ours, heaps, outside);
        if (job % JOBS_TO_CLEAN == 0) {
          ours.ask(new Request.Clean(), "removing shuffles", JOB_LIMIT, progress -> {});
        }
      }
      countLeaks(ours, heaps, target.local());
      Optional<String> objection = site.objection(ours);
      if (objection.isPresent()) {
        counts.failedJobs++;
        console.line("FAILED round %d: %s".formatted(number + 1, objection.get()));
      }
    } catch (RuntimeException e) {
      if (TerminationHook.isEnding()) {
        console.line("Interrupted in round " + (number + 1));
      } else if (e instanceof CliException) {
        counts.hangs++;
        console.line("HANG or death in round " + (number + 1) + ": " + e.getMessage());
      } else {
        throw e;
      }
    }
    if (group.isPresent()) {
      long kills = group.get().kills();
      counts.killedByKernel += kills;
      if (kills > 0) {
        console.line("KILLED: the kernel ended %d processes".formatted(kills));
      }
    } else if (round.limitShare() > 0) {
      console.line("No control group can be created here, so memory is not limited.");
    }
    counts.addFaults(log);
    counts.addHistory(history).forEach(example -> console.line("HISTORY: " + example));
    long left = filesUnder(heaps);
    if (left > 0 && !TerminationHook.isEnding()) {
      counts.leakedFiles += left;
      console.line("LEAK: " + left + " files remain in " + heaps + " after the application");
    }
    if (!TerminationHook.isEnding()) {
      countGpuMemory(gpuBytes);
    }
  }

  private void job(Application sort, Application ours, Path heaps, OutsideFaults faults)
      throws IOException {
    String query = pool.get(random.nextInt(pool.size()));
    Answer answer = expected(sort, query);
    counts.jobs++;
    console.status("job " + counts.jobs + ": " + query);
    faults.beforeJob();
    Path rows = folder.resolve("rows/ours.txt");
    Reply reply = ours.ask(request(query, rows, heaps), query, JOB_LIMIT, p -> {});
    faults.afterJob();
    switch (reply) {
      case Reply.Measured unused -> {
        counts.answersCompared++;
        String difference =
            RowsComparison.difference("sort", answer.rows, "symshuffle", rows, answer.columns);
        if (!difference.isEmpty()) {
          counts.differences++;
          Path kept = folder.resolve("rows/different-" + counts.jobs + ".txt");
          Files.copy(rows, kept);
          console.line("DIFFERENCE in job %d: %s\n%s".formatted(counts.jobs, query, difference));
        }
      }
      case Reply.Failed failed -> {
        counts.failedJobs++;
        console.line("FAILED job %d: %s\n%s".formatted(counts.jobs, query, failed.message()));
      }
      case Reply other -> throw new IllegalStateException("unexpected reply: " + other);
    }
  }

  /** Runs a query once, or twice, with or without the loss of all heaps in between. */
  private Request request(String query, Path rows, Path heaps) {
    if (random.nextDouble() >= TWICE_SHARE) {
      return new Request.Query(query, query, rows.toString());
    }
    boolean lost = random.nextBoolean();
    counts.fault(lost ? "heaps.lost" : "query.again");
    return new Request.Twice(query, query, lost ? heaps.toString() : "", rows.toString());
  }

  private Answer expected(Application sort, String query) {
    return expected.computeIfAbsent(
        query,
        sql -> {
          Path rows = folder.resolve("rows/sort-" + expected.size() + ".txt");
          Reply reply =
              sort.ask(new Request.Query(sql, sql, rows.toString()), sql, JOB_LIMIT, p -> {});
          if (reply instanceof Reply.Measured measured) {
            sort.ask(new Request.Clean(), "removing shuffles", JOB_LIMIT, p -> {});
            return new Answer(rows, measured.columns());
          }
          throw new IllegalStateException(
              "the sort shuffle returned no answer to " + sql + ": " + reply);
        });
  }

  private void countLeaks(Application ours, Path heaps, Path local) {
    ours.ask(new Request.Clean(), "removing shuffles", JOB_LIMIT, progress -> {});
    Reply reply =
        ours.ask(
            new Request.Leaks(heaps.toString(), local.toString(), LEAK_LIMIT.toSeconds()),
            "checking for leaks",
            JOB_LIMIT,
            progress -> {});
    if (!(reply instanceof Reply.Leaks leaks)) {
      throw new CliException("The application cannot check for leaks: " + reply);
    }
    counts.leakedHeapBytes += leaks.heapBytes();
    counts.leakedFiles += leaks.files();
    counts.leakedMappings += leaks.mappings();
    if (leaks.heapBytes() + leaks.files() + leaks.mappings() > 0) {
      console.line("LEAK: " + leaks);
    }
  }

  private static long filesUnder(Path heaps) throws IOException {
    try (Stream<Path> files = Files.walk(heaps)) {
      return files.filter(path -> !path.equals(heaps)).count();
    }
  }

  /** The driver returns the memory of a process a moment after its end. */
  private void countGpuMemory(long before) {
    long end = System.nanoTime() + GPU_LIMIT.toNanos();
    long leaked;
    do {
      leaked = site.gpuBytes() - before;
    } while (leaked > 0 && System.nanoTime() < end);
    if (leaked > 0) {
      counts.leakedGpuBytes += leaked;
      console.line("LEAK: %d bytes of GPU memory after the application".formatted(leaked));
    }
  }

  private Map<String, String> settings(
      ChaosRound round, int number, Path heaps, Path log, Path history) {
    Map<String, String> settings = round.settings(seed + number, log, history, failingCalls);
    settings.put("spark.symshuffle.heap.dir", heaps.toString());
    return settings;
  }
}
