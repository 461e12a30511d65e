// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.Fleet;
import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.Lineup;
import io.symshuffle.benchmarks.launch.SparkMaster;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.SoakTask;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Progress;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.benchmarks.workload.SoakQuery;
import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * One call of the soak: an application per arm, all on the same GPUs, and blocks of executions on
 * one after the other. Ends when all arms have enough executions, when the time is over, or at the
 * first wrong value.
 */
final class SoakRun {
  /** As in the shuffle benchmark, whose comparison query this repeats. */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "spark.sql.adaptive.coalescePartitions.enabled", "false",
          "spark.sql.autoBroadcastJoinThreshold", "-1",
          "spark.eventLog.enabled", "true",
          "spark.eventLog.compress", "true");

  /** Folders of arms and clusters. */
  private static final Pattern OWN_LOGS =
      Pattern.compile("(rapids|symshuffle|cpu)(\\+.*)?|cluster\\d+");

  /** Event logs, which have the names of applications, or are folders. */
  private static final Pattern OWN_EVENTS = Pattern.compile("\\.?((app|local)-\\d|eventlog_v2_).*");

  /**
   * What to run.
   *
   * @param arms the arms that are not over
   * @param soak an execution
   * @param executions number of executions that each arm should have at the end
   * @param block number of executions on one arm before the next one is run
   * @param together whether all arms are run at the same time, instead of one after the other
   * @param deadline when to end, in terms of {@link System#nanoTime}; empty for no limit
   */
  record Plan(
      List<SoakArm> arms,
      Request.Soak soak,
      long executions,
      int block,
      boolean together,
      Optional<Long> deadline) {}

  private final ClusterOptions cluster;
  private final GpuOptions gpus;
  private final Path folder;
  private final Console console;
  private final Plan plan;
  private final Progress<SoakReport> progress;
  private final Map<Integer, SoakTask> expected = new LinkedHashMap<>();

  // Arms that run at the same time share these. They are replaced in synchronized methods.
  private volatile SoakReport report;
  private volatile double slowest;

  /** Set when the time is over, or a value was wrong. */
  private volatile boolean ended;

  /**
   * Prepares a call.
   *
   * @param folder for logs and evidence
   * @param report the results of earlier calls
   * @param progress receives the results
   */
  SoakRun(
      ClusterOptions cluster,
      GpuOptions gpus,
      Path folder,
      Console console,
      Plan plan,
      SoakReport report,
      Progress<SoakReport> progress) {
    this.cluster = cluster;
    this.gpus = gpus;
    this.folder = folder;
    this.console = console;
    this.plan = plan;
    this.report = report;
    this.progress = progress;
    SoakQuery.expected(plan.soak().rows(), plan.soak().tasks())
        .forEach(task -> expected.put(task.task(), task));
  }

  /**
   * Checks that the folders for logs have no files except those of an earlier call.
   *
   * @throws CliException if one has
   */
  static void checkFolder(Path folder) {
    Folders.checkOwn(logs(folder), OWN_LOGS.asMatchPredicate(), "--out");
    Folders.checkOwn(events(folder), OWN_EVENTS.asMatchPredicate(), "--out");
  }

  private static Path logs(Path folder) {
    return folder.resolve("applications");
  }

  private static Path events(Path folder) {
    return folder.resolve("events");
  }

  /** Returns the results of all calls. Deletes logs first, see {@link #checkFolder}. */
  SoakReport run(SparkRuntime runtime) throws IOException {
    Path logs = logs(folder);
    Path events = events(folder);
    Folders.delete(logs);
    Folders.delete(events);
    Files.createDirectories(events);
    console.line("Starting " + plan.arms().size() + " applications, logs in " + logs);
    SoakEvidence evidence = new SoakEvidence(folder, List.of(logs, events));
    try (Fleet fleet = start(runtime, logs, events)) {
      for (int i = 0; i < plan.arms().size(); i++) {
        check(plan.arms().get(i), fleet.applications().get(i));
      }
      String where = new Lineup(cluster, gpus, SETTINGS).where();
      report = report.with(RunInfo.now(where, fleet.ready()));
      while (round(fleet.applications(), evidence)) {
        // The next block of each arm.
      }
      console.status("");
    }
    evidence.copyLogs();
    return report;
  }

  private Fleet start(SparkRuntime runtime, Path logs, Path events) {
    Map<String, String> settings = new LinkedHashMap<>(SETTINGS);
    settings.put("spark.eventLog.dir", events.toUri().toString());
    if (!gpus.areUsed()) {
      List<ApplicationSpec> specs =
          plan.arms().stream()
              .map(
                  arm ->
                      arm.application(
                          cluster.application(arm.base().choice(), settings, logs), logs))
              .toList();
      return Fleet.start(specs, runtime, cluster.limit(), console);
    }
    List<Map<String, String>> memory =
        gpus.memory(
            plan.arms().stream().map(arm -> arm.base().choice()).toList(), cluster.settings());
    return Fleet.startOnGpus(
        (number, master) -> {
          Map<String, String> all = new LinkedHashMap<>(settings);
          all.putAll(memory.get(number));
          return onGpus(plan.arms().get(number), master, all, logs);
        },
        plan.arms().size(),
        gpus,
        runtime,
        logs,
        cluster.localFolders(),
        cluster.limit(),
        console);
  }

  private ApplicationSpec onGpus(
      SoakArm arm, SparkMaster master, Map<String, String> settings, Path logs) {
    return arm.application(
        cluster.application(arm.base().choice(), gpus, master, settings, logs), logs);
  }

  /** An arm that silently runs something else would prove nothing. */
  private static void check(SoakArm arm, Application application) throws IOException {
    if (arm.base() == SoakArm.Base.SYMSHUFFLE && GpuOptions.tablesAreOnHost(application)) {
      throw new CliException(
          "The arm "
              + arm.label()
              + " needs tables that stay on the GPUs, but they do not. Its log says why: "
              + application.log());
    }
  }

  /** Runs a block on each arm; returns whether there is more to do. */
  private boolean round(List<Application> applications, SoakEvidence evidence) {
    (plan.together() ? applications.parallelStream() : applications.stream())
        .forEach(application -> block(application, evidence));
    return !ended && applications.stream().anyMatch(application -> !isOver(application));
  }

  /** Runs a block on one arm, unless the soak has ended. */
  private void block(Application application, SoakEvidence evidence) {
    for (int n = 0; n < plan.block() && !ended && !isOver(application); n++) {
      try {
        if (isLate() || !execute(application, evidence)) {
          ended = true;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    // Otherwise the driver would keep the map outputs of all executions.
    application.ask(new Request.Clean(), "removing shuffles", cluster.limit(), step -> {});
  }

  private boolean isOver(Application application) {
    return report.arm(application.name()).isOver(plan.executions());
  }

  private boolean isLate() {
    return plan.deadline().isPresent()
        && System.nanoTime() + Duration.ofMillis((long) (slowest * 1000)).toNanos()
            > plan.deadline().get();
  }

  /** Returns whether all values were right. */
  private boolean execute(Application application, SoakEvidence evidence) throws IOException {
    ArmResult before = report.arm(application.name());
    long number = before.executions() + 1;
    String name = "execution " + number + " of " + plan.executions();
    console.status(application.name() + ": " + name);
    Reply reply = application.ask(plan.soak(), name, cluster.limit(), step -> {});
    if (!(reply instanceof Reply.Soaked soaked)) {
      throw new CliException(
          "The application '"
              + application.name()
              + "' failed in "
              + name
              + ": "
              + reply
              + ". Its log: "
              + application.log());
    }
    List<WrongTask> wrong = wrong(soaked.tasks());
    Optional<WrongExecution> found =
        wrong.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new WrongExecution(
                    number,
                    application.ready().applicationId(),
                    evidence.create(application.name() + "-" + number).toString(),
                    wrong));
    add(before.plus(soaked.tasks().size(), soaked.seconds(), found), soaked.seconds());
    if (found.isPresent()) {
      console.line("\nWrong values in " + name + " of " + application.name() + ":");
      wrong.forEach(task -> console.line("  " + task.text()));
      console.line("Evidence: " + found.get().evidence());
      evidence.collect(application, plan.soak(), found.get(), cluster.limit());
    }
    return found.isEmpty();
  }

  private synchronized void add(ArmResult after, double seconds) throws IOException {
    slowest = Math.max(slowest, seconds);
    report = report.with(after);
    progress.reached(report);
  }

  /** Returns the tasks that did not compute what they should, in order. */
  private List<WrongTask> wrong(List<SoakTask> computed) {
    Map<Integer, SoakTask> byNumber = new LinkedHashMap<>();
    computed.forEach(task -> byNumber.put(task.task(), task));
    List<WrongTask> wrong = new ArrayList<>();
    expected.forEach(
        (number, task) -> {
          if (!task.equals(byNumber.get(number))) {
            wrong.add(new WrongTask(task, byNumber.get(number)));
          }
        });
    return wrong;
  }
}
