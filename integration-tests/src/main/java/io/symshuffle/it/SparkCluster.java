// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.WorkerCluster;
import io.symshuffle.benchmarks.launch.WorkerCluster.Worker;
import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.record.TaskRecorder;
import io.symshuffle.it.wait.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.Utils$;

/**
 * A running Spark application whose driver is this JVM, so there is one at a time, with its
 * executors' processes, logs and folders. {@link #close()} ends it and fails if processes or files
 * remain. Thread-safe except for {@link #close()}.
 */
public final class SparkCluster implements AutoCloseable {
  /** Another application is started if the executors of this one do not run tasks soon. */
  private static final Duration REUSE_LIMIT = Duration.ofSeconds(30);

  private static final int WORKER_GIB = 1024; // not checked; an executor takes all cores
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final ClusterSpec spec;
  private final Path folder;
  private final Path heapFolder;
  private final DriverLog driverLog;
  private final Optional<Hosts> hosts;
  private final Optional<WorkerCluster> standalone;
  private final SparkSession root;
  private final TaskRecorder recorder;
  private final NavigableSet<Path> mappedHeapFiles = new TreeSet<>();
  private volatile SparkSession session;
  private volatile boolean discarded;
  private boolean closed;

  private SparkCluster(ClusterSpec spec, Path folder) {
    this.spec = spec;
    this.folder = Folders.create(folder);
    heapFolder =
        Path.of(
            "/dev/shm",
            "it-symshuffle-%d-%d"
                .formatted(ProcessHandle.current().pid(), NUMBER.incrementAndGet()));
    driverLog = new DriverLog(this.folder.resolve("driver.log"));
    Optional<Hosts> places = Optional.empty();
    Optional<WorkerCluster> started = Optional.empty();
    try {
      if (spec.kind() == ClusterKind.HOSTS) {
        places = Optional.of(Hosts.create(folder.resolve("hosts"), spec.executors()));
      }
      hosts = places;
      if (spec.kind() == ClusterKind.STANDALONE || spec.kind() == ClusterKind.HOSTS) {
        started = Optional.of(startStandalone());
      }
      standalone = started;
      // Spark reuses the local folders of the first application in a JVM.
      Utils$.MODULE$.clearLocalRootDirs();
      SparkSession.Builder builder = SparkSession.builder();
      ClusterSettings.of(spec, master(), address(), this.folder, heapFolder)
          .forEach(builder::config);
      root = builder.getOrCreate();
      session = root;
    } catch (Throwable e) {
      started.ifPresent(WorkerCluster::close);
      places.ifPresent(Hosts::close);
      driverLog.close();
      Folders.delete(heapFolder);
      throw e;
    }
    recorder = TaskRecorder.on(context());
  }

  /**
   * Starts an application and waits until every executor has run a task.
   *
   * @param folder for logs and local files; created, and deleted by {@link #close()} if nothing
   *     leaked
   * @throws IllegalStateException if this JVM already runs an application
   */
  public static SparkCluster start(ClusterSpec spec, Path folder) {
    if (SparkSession.getDefaultSession().isDefined()) {
      throw new IllegalStateException(
          "this JVM already runs a Spark application; close it before starting another");
    }
    SparkCluster cluster = new SparkCluster(spec, folder);
    try {
      cluster.awaitExecutors();
      cluster.noteMappedHeapFiles();
      return cluster;
    } catch (Throwable e) {
      try {
        cluster.close();
      } catch (AssertionError | RuntimeException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  /** Returns the spec. */
  public ClusterSpec spec() {
    return spec;
  }

  /** Returns master and workers, for {@link ClusterKind#STANDALONE} and with hosts. */
  public WorkerCluster standalone() {
    return standalone.orElseThrow();
  }

  /** Returns the hosts of the workers, for {@link ClusterKind#HOSTS}. */
  public Hosts hosts() {
    return hosts.orElseThrow();
  }

  /** Returns the session of the current test. */
  public SparkSession session() {
    return session;
  }

  /** Replaces the session by one with the application's SQL settings and without views. */
  public SparkSession newSession() {
    root.catalog().clearCache();
    session = root.newSession();
    SparkSession.setActiveSession(session);
    return session;
  }

  /** Returns the application. */
  public SparkContext context() {
    return root.sparkContext();
  }

  /** Returns Spark's ID of the application. */
  public String applicationId() {
    return context().applicationId();
  }

  /** Returns the live executor processes; none for {@link ClusterKind#LOCAL}. */
  public List<ExecutorProcess> executors() {
    return ExecutorProcess.of(applicationId());
  }

  /**
   * Kills an executor with SIGKILL and waits for the end of its process, which Spark notices later.
   *
   * @throws IllegalArgumentException if there is no such executor
   */
  public void kill(String executorId) {
    noteMappedHeapFiles();
    executors().stream()
        .filter(each -> each.executorId().equals(executorId))
        .findAny()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no live executor %s; there are %s".formatted(executorId, executors())))
        .kill();
  }

  /** Runs small jobs without a shuffle until the requested number of executors have run a task. */
  public void awaitExecutors() {
    Await.until("%d executors have run a task".formatted(spec.executors()), this::haveAllRunTasks);
  }

  private boolean haveAllRunTasks() {
    int partitions = spec.executors() * spec.cores() * 2;
    context().range(0, partitions, 1, partitions).count();
    return busyExecutors() >= spec.executors();
  }

  /** Counts live processes only, since Spark may not know yet that one was killed. */
  private long busyExecutors() {
    Set<String> busy = recorder.busyExecutors();
    return spec.kind() == ClusterKind.LOCAL
        ? busy.size()
        : executors().stream().map(ExecutorProcess::executorId).filter(busy::contains).count();
  }

  /** Runs the action and records its tasks; wraps checked exceptions. */
  public <T> Recording<T> record(Callable<T> action) {
    try {
      return recorder.record(action);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("the recorded action failed", e);
    }
  }

  /** Returns our metrics on the executors, collected by small jobs without a shuffle. */
  public ExecutorGauges gauges() {
    return ExecutorGauges.of(context(), spec.executors(), spec.cores());
  }

  /** Returns the base folder of this application's heaps, unless the spec sets another. */
  public Path heapFolder() {
    return Path.of(spec.conf().getOrDefault("spark.symshuffle.heap.dir", heapFolder.toString()));
  }

  /** Returns Spark's local folder for this application's driver and executors. */
  public Path localFolder() {
    return ClusterSettings.localFolder(folder);
  }

  /** Returns heap files that driver and executors currently map. */
  public NavigableSet<Path> mappedHeapFiles() {
    NavigableSet<Path> mapped = new TreeSet<>();
    executors().forEach(each -> mapped.addAll(each.mappedFiles("/" + LeakCheck.OURS)));
    if (spec.kind() == ClusterKind.LOCAL) {
      mapped.addAll(
          ExecutorProcess.mappedFiles(ProcessHandle.current().pid(), "/" + LeakCheck.OURS));
    }
    mapped.removeIf(path -> path.toString().endsWith(".jar"));
    return mapped;
  }

  /** Returns the driver's log so far, which covers everything in this JVM since the start. */
  public String driverLog() {
    return logs().driver();
  }

  /**
   * Copies driver log, executor logs and event log into a folder.
   *
   * @param target created if missing
   */
  public void saveLogs(Path target) {
    logs().save(target);
  }

  private ClusterLogs logs() {
    return new ClusterLogs(spec, folder, applicationId());
  }

  /** Prevents later tests from sharing the application. */
  public void discard() {
    discarded = true;
  }

  /** Returns whether another test can use it: not stopped, not discarded, all executors running. */
  boolean isReusable() {
    if (discarded || context().isStopped()) {
      return false;
    }
    try {
      return Await.holdsWithin(REUSE_LIMIT, this::haveAllRunTasks);
    } catch (RuntimeException e) {
      return false;
    }
  }

  /** Cancels all jobs and kills the executors of an application that hangs. */
  void abort() {
    discard();
    context().cancelAllJobs();
    executors().forEach(ExecutorProcess::kill);
    closeStandalone();
  }

  /**
   * Stops the application and its processes.
   *
   * @throws AssertionError if it does not stop in time, or if processes or files remain; its folder
   *     is then kept
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    String application = applicationId();
    noteMappedHeapFiles();
    List<String> complaints = new ArrayList<>();
    try {
      assertTimeoutPreemptively(Await.LIMIT, this::stopSession);
    } catch (AssertionError e) {
      complaints.add("SparkContext.stop: " + e.getMessage());
    }
    if (!Await.holdsWithin(Await.LIMIT, () -> ExecutorProcess.of(application).isEmpty())) {
      List<ExecutorProcess> alive = ExecutorProcess.of(application);
      complaints.add("executors outlived the application: " + alive);
      alive.forEach(ExecutorProcess::kill);
    }
    NavigableSet<Path> left = LeakCheck.leftovers(heapFolder, localFolder(), mappedHeapFiles);
    if (!left.isEmpty()) {
      complaints.add("leaked files: " + left);
    }
    closeStandalone();
    driverLog.close();
    Folders.delete(heapFolder);
    if (!complaints.isEmpty()) {
      throw new AssertionError(
          "application %s: %s (logs: %s)".formatted(application, complaints, folder));
    }
    new ClusterLogs(spec, folder, application).workFolders().forEach(Folders::delete);
    Folders.delete(folder);
  }

  @Override
  public String toString() {
    return "%s (%s in %s)".formatted(applicationId(), spec, folder);
  }

  private void stopSession() {
    root.stop();
    SparkSession.clearActiveSession();
    SparkSession.clearDefaultSession();
  }

  private void noteMappedHeapFiles() {
    synchronized (mappedHeapFiles) {
      mappedHeapFiles.addAll(mappedHeapFiles());
    }
  }

  private String master() {
    return switch (spec.kind()) {
      case LOCAL -> "local[%d]".formatted(spec.cores());
      case LOCAL_CLUSTER ->
          "local-cluster[%d,%d,%d]".formatted(spec.executors(), spec.cores(), spec.memoryMb());
      case STANDALONE, HOSTS -> standalone().master().url();
    };
  }

  /** The address of this machine for the workers. */
  private String address() {
    return hosts.map(Hosts::outside).orElse(WorkerCluster.HERE);
  }

  /**
   * Starts a worker per executor. Each has its own address, 127.0.0.(n+1) without hosts, so that
   * Spark treats the workers as different hosts.
   */
  private WorkerCluster startStandalone() {
    SparkHome home = SparkHome.create(folder.resolve("spark-home"));
    List<Worker> workers =
        IntStream.range(0, spec.executors())
            .mapToObj(
                number ->
                    new Worker(
                        hosts.map(all -> all.on(number, List.of())).orElse(List.of()),
                        hosts.map(all -> all.address(number)).orElse("127.0.0." + (number + 1)),
                        OptionalInt.empty(),
                        spec.cores(),
                        WORKER_GIB,
                        Map.of()))
            .toList();
    return home.cluster(folder, List.of(), address(), workers);
  }

  private void closeStandalone() {
    standalone.ifPresent(WorkerCluster::close);
    hosts.ifPresent(Hosts::close);
  }
}
