// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.faults.HeapLoss;
import io.symshuffle.benchmarks.launch.MemoryGroup;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Faults that strike an application from outside at a random moment of a job:
 *
 * <ul>
 *   <li>{@code executor.sigkill}: an executor is killed;
 *   <li>{@code executor.sigstop}: an executor does nothing for 1 to 30 seconds, but is alive;
 *   <li>{@code descriptors.few}: for some seconds, an executor can only open a few files or
 *       sockets;
 *   <li>{@code descriptors.none}: for a moment, an executor cannot open files or sockets (EMFILE);
 *   <li>{@code heap.mode}: for a moment, a heap file has another mode, so that no executor may open
 *       it;
 *   <li>{@code memory.limit}: until the job ends, the control group has so little memory left that
 *       no heap may grow.
 * </ul>
 *
 * <p>Used by one thread, except for {@link #close}.
 */
final class OutsideFaults implements AutoCloseable {
  private static final double STOP_SHARE = 0.08;
  private static final double DESCRIPTORS_SHARE = 0.06;
  private static final double FEW_SHARE = 0.08;
  private static final double MODE_SHARE = 0.1;

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int LATEST_MILLIS = 1500;

  /** A task that fails because of it is repeated at once, and must not fail too often. */
  private static final int MOMENT_MILLIS = 150;

  /** Stops are short, except for one in so many. */
  private static final int LONG_STOPS = 5;

  private static final int SHORT_STOP_MILLIS = 5_000;
  private static final int LONG_STOP_MILLIS = 30_000;
  private static final int MIN_STOP_MILLIS = 1_000;

  private static final int FEW_MILLIS = 3_000;
  static final int FEW_DESCRIPTORS = 12;

  /** All descriptors below this one are in use. More are needed for poll() on one of them. */
  private static final int DESCRIPTORS = 16;

  /** The processes of an application do not grow by more in one job. */
  private static final long LEFT_BYTES = 700L << 20;

  private static final Set<PosixFilePermission> WRONG_MODE =
      PosixFilePermissions.fromString("rw-r-----");
  private static final Set<PosixFilePermission> RIGHT_MODE =
      PosixFilePermissions.fromString("rw-------");

  private final Supplier<List<ProcessHandle>> executors;
  private final Path heaps;
  private final Optional<MemoryGroup> group;
  private final ChaosRound round;
  private final Random random;
  private final ChaosCounts counts;
  private final ScheduledExecutorService later =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("faults").factory());
  private final List<Future<?>> pending = new ArrayList<>();

  /** Something, to one of several, that may fail because a process has ended. */
  @FunctionalInterface
  private interface Strike {
    void on(int which) throws IOException, InterruptedException;
  }

  /**
   * @param heaps base folder of the heaps
   * @param group the control group of the application, if there is one
   * @param round how often executors are killed and memory is limited
   */
  OutsideFaults(
      Supplier<List<ProcessHandle>> executors,
      Path heaps,
      Optional<MemoryGroup> group,
      ChaosRound round,
      Random random,
      ChaosCounts counts) {
    this.executors = executors;
    this.heaps = heaps;
    this.group = group;
    this.round = round;
    this.random = random;
    this.counts = counts;
  }

  /** Chooses faults for the job that is about to start. */
  void beforeJob() throws IOException {
    maybe(round.killShare(), this::kill);
    maybe(DESCRIPTORS_SHARE, this::takeDescriptors);
    maybe(FEW_SHARE, which -> leaveFewDescriptors(which, FEW_MILLIS));
    int longest = random.nextInt(LONG_STOPS) == 0 ? LONG_STOP_MILLIS : SHORT_STOP_MILLIS;
    int millis = random.nextInt(MIN_STOP_MILLIS, longest + 1);
    maybe(STOP_SHARE, which -> stop(which, millis));
    maybe(MODE_SHARE, this::changeMode);
    if (random.nextDouble() < round.limitShare() && group.isPresent()) {
      group.get().limit(group.get().usedBytes() + LEFT_BYTES);
      counts.fault("memory.limit");
    }
  }

  /**
   * Waits until the faults of the job have struck and are over.
   *
   * @throws java.util.concurrent.CancellationException if {@link #close} ends them meanwhile
   */
  void afterJob() throws IOException {
    for (Future<?> fault : pending) {
      try {
        fault.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
    pending.clear();
    if (group.isPresent()) {
      group.get().limit(Long.MAX_VALUE);
    }
  }

  /** Ends the faults that have struck, and lets no other one strike. */
  @Override
  public void close() {
    for (Runnable waiting : later.shutdownNow()) {
      ((Future<?>) waiting).cancel(false);
    }
  }

  /** Strikes with this probability, at a random moment. */
  private void maybe(double share, Strike strike) {
    if (random.nextDouble() >= share) {
      return;
    }
    int which = random.nextInt(1 << 20);
    pending.add(
        later.schedule(
            () -> {
              strike.on(which);
              return null;
            },
            random.nextInt(LATEST_MILLIS),
            TimeUnit.MILLISECONDS));
  }

  private Optional<ProcessHandle> executor(int which) {
    List<ProcessHandle> live = executors.get();
    return live.isEmpty() ? Optional.empty() : Optional.of(live.get(which % live.size()));
  }

  private void kill(int which) {
    Optional<ProcessHandle> executor = executor(which);
    if (executor.isPresent() && executor.get().destroyForcibly()) {
      counts.fault("executor.sigkill");
    }
  }

  /** Stops an executor for a while. */
  void stop(int which, int millis) throws InterruptedException {
    Optional<ProcessHandle> executor = executor(which);
    if (executor.isPresent() && signal(executor.get(), "STOP")) {
      counts.fault("executor.sigstop");
      try {
        TimeUnit.MILLISECONDS.sleep(millis);
      } finally {
        signal(executor.get(), "CONT");
      }
    }
  }

  private static boolean signal(ProcessHandle process, String signal) {
    return ChildProcess.of("kill", "-" + signal, Long.toString(process.pid()))
        .tryRun(LIMIT)
        .passed();
  }

  private void takeDescriptors(int which) throws InterruptedException {
    Optional<ProcessHandle> executor = executor(which);
    if (executor.isPresent()) {
      limitFiles(executor.get(), DESCRIPTORS, "descriptors.none", MOMENT_MILLIS);
    }
  }

  /** Leaves an executor few descriptors for a while. */
  void leaveFewDescriptors(int which, int millis) throws IOException, InterruptedException {
    Optional<ProcessHandle> executor = executor(which);
    int highest = executor.isPresent() ? highestDescriptor(executor.get()) : -1;
    if (highest >= 0) {
      limitFiles(executor.get(), highest + 1 + FEW_DESCRIPTORS, "descriptors.few", millis);
    }
  }

  /** Returns the highest descriptor in use; -1 if the process has ended. */
  private static int highestDescriptor(ProcessHandle process) throws IOException {
    int highest = -1;
    try (DirectoryStream<Path> open =
        Files.newDirectoryStream(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
      for (Path descriptor : open) {
        highest = Math.max(highest, Integer.parseInt(descriptor.getFileName().toString()));
      }
    } catch (NoSuchFileException | DirectoryIteratorException e) {
      return -1;
    }
    return highest;
  }

  private void limitFiles(ProcessHandle process, int limit, String fault, int millis)
      throws InterruptedException {
    if (limitFiles(process, Integer.toString(limit))) {
      counts.fault(fault);
      try {
        TimeUnit.MILLISECONDS.sleep(millis);
      } finally {
        limitFiles(process, hardLimit(process));
      }
    }
  }

  /** Sets the soft limit; returns whether that worked. */
  private static boolean limitFiles(ProcessHandle process, String limit) {
    return ChildProcess.of(
            "prlimit", "--pid", Long.toString(process.pid()), "--nofile=" + limit + ":")
        .tryRun(LIMIT)
        .passed();
  }

  /** Any value will do for a process that has ended: its file is empty, or cannot be read. */
  private static String hardLimit(ProcessHandle process) {
    Path limits = Path.of("/proc", Long.toString(process.pid()), "limits");
    try (Stream<String> lines = Files.lines(limits)) {
      return lines
          .filter(line -> line.startsWith("Max open files"))
          .map(line -> line.split(" +", -1)[4])
          .findFirst()
          .orElse("unlimited");
    } catch (IOException | UncheckedIOException e) {
      return "unlimited";
    }
  }

  private void changeMode(int which) throws IOException, InterruptedException {
    List<Path> files = HeapLoss.heaps(heaps);
    if (!files.isEmpty()) {
      Path file = files.get(which % files.size());
      if (setMode(file, WRONG_MODE)) {
        counts.fault("heap.mode");
        TimeUnit.MILLISECONDS.sleep(MOMENT_MILLIS);
        setMode(file, RIGHT_MODE);
      }
    }
  }

  /** Returns false if the file has been removed. */
  private static boolean setMode(Path file, Set<PosixFilePermission> mode) throws IOException {
    try {
      Files.setPosixFilePermissions(file, mode);
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
