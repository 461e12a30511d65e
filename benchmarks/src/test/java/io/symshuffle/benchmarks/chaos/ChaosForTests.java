// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.benchmarks.report.RunInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/**
 * The faults and the counts of {@code chaos} for applications that a test starts itself. Used by
 * one thread.
 */
public final class ChaosForTests {
  /** Jobs take about a second. */
  private static final double KILL_SHARE = 0.08;

  /** Each so many, one fails. Without memory at its start an executor has no device heap. */
  private static final Map<String, Integer> CALLS =
      Map.of("pread", 300, "sendmsg", 10, "recvmsg", 13);

  private static final int STEP_SECONDS = 15;

  private final Path folder;
  private final long seed;
  private final Random random;
  private final Optional<FailingCalls> calls;
  private final long start = System.nanoTime();
  private final ChaosCounts counts = new ChaosCounts();
  private final List<String> problems = new ArrayList<>();
  private ChaosRound round;
  private OutsideFaults outside;
  private Path log;
  private Path history;

  /**
   * Starts a test.
   *
   * @param folder for logs
   * @param seed of the faults
   */
  public ChaosForTests(Path folder, long seed) throws IOException {
    this.folder = requireNonNull(folder, "folder is null");
    this.seed = seed;
    this.random = new Random(seed);
    this.calls = FailingCalls.compile(folder);
  }

  /** Returns random numbers that depend only on the seed. */
  public Random random() {
    return random;
  }

  /** Returns the settings of the next application, with device heaps. */
  public Map<String, String> settings() {
    int number = counts.applications++;
    ChaosRound onGpus = ChaosRound.onGpus(number);
    round = new ChaosRound(onGpus.name(), onGpus.settings(), onGpus.rules(), KILL_SHARE, 0);
    log = folder.resolve("faults-%d.log".formatted(number));
    history = folder.resolve("history-" + number);
    Map<String, String> settings = round.settings(seed + number, log, history, Optional.empty());
    calls.ifPresent(
        failing ->
            failing
                .environment(log, CALLS, STEP_SECONDS)
                .forEach((name, value) -> settings.put("spark.executorEnv." + name, value)));
    return settings;
  }

  /**
   * The application has started.
   *
   * @param executors its live executors
   * @param heaps base folder of their heaps
   */
  public void started(Supplier<List<ProcessHandle>> executors, Path heaps) {
    outside = new OutsideFaults(executors, heaps, Optional.empty(), round, random, counts);
  }

  /** Counts a fault of the test. */
  public void fault(String kind) {
    counts.fault(kind);
  }

  /** Lets faults strike during the next job. */
  public void beforeJob() throws IOException {
    counts.jobs++;
    outside.beforeJob();
  }

  /**
   * Waits until the faults are over.
   *
   * @param failure why there is no right answer; empty if there is one
   */
  public void afterJob(Optional<Throwable> failure) throws IOException {
    outside.afterJob();
    if (failure.isEmpty() || failure.get() instanceof AssertionError) {
      counts.answersCompared++;
    }
    failure.ifPresent(
        thrown -> {
          if (thrown instanceof AssertionError) {
            counts.differences++;
          } else {
            counts.failedJobs++;
          }
          problems.add("job " + counts.jobs + ": " + thrown);
        });
  }

  /** A job has no end. */
  public void hangs(String what) {
    counts.hangs++;
    problems.add(what);
  }

  /** Something is left when nothing should be. */
  public void leaks(long heapBytes, long files, String what) {
    counts.leakedHeapBytes += heapBytes;
    counts.leakedFiles += files;
    problems.add(what);
  }

  /** The application has ended: counts the faults of executors, and checks what they recorded. */
  public void ended() throws IOException {
    outside.close();
    counts.addFaults(log);
    problems.addAll(counts.addHistory(history));
  }

  /** Returns what went wrong; empty if everything is right. */
  public Optional<String> problems() {
    return counts.clean() && problems.isEmpty()
        ? Optional.empty()
        : Optional.of(line() + "\n" + String.join("\n", problems));
  }

  /** Returns the counts, in words. */
  public String line() {
    return "seed %d: %s; %s".formatted(seed, counts.line(), counts.faults);
  }

  /** Writes the report of {@code chaos}. */
  public void report(RunInfo info, Path json) throws IOException {
    double seconds = (System.nanoTime() - start) / 1e9;
    ReportFile.write(json, new ChaosCommand.Report(info, seed, seconds, false, counts));
  }
}
