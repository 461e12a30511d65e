// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.symshuffle.benchmarks.launch.GpuOptions;
import io.symshuffle.benchmarks.launch.HostOptions;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.SparkMaster;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.cli.CliCommand;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.cli.JsonOutput;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle chaos}. */
@Command(
    name = "chaos",
    description = {
      "Runs random queries on executors with random faults (writes, reads and transfers that fail,"
          + " are delayed, damaged or truncated; a full heap; lost heaps; few or no file"
          + " descriptors; little memory; dropped events; failing calls of the C library; processes"
          + " that are stopped or killed), compares each answer with that of Spark's sort shuffle,"
          + " counts leaked memory and files, and checks what executors recorded: no read of freed"
          + " memory, no lost map output.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 no difference, failed job, hang, leak, kill by the kernel or wrong history, 1"
          + " otherwise, 2 could not run, 130 interrupted; what was counted until then is reported."
          + " The same seed gives the same queries, and the same faults as far as tasks run in the"
          + " same order.",
      "",
      "Examples:",
      "  symshuffle chaos --minutes 1",
      "  symshuffle chaos --minutes 20 --seed 1 --json chaos.json",
      "  symshuffle chaos --minutes 20 --hosts 2",
      "  symshuffle chaos --minutes 20 --hosts 3 --pods",
      "  symshuffle chaos --minutes 5 --hosts 3 --own users,limits",
      "  symshuffle chaos --minutes 8 --rapids rapids-4-spark_2.13-26.08.1-cuda13.jar"
    })
public final class ChaosCommand implements CliCommand {
  private static final double MINUTES_PER_ROUND = 3.4;
  private static final int MAX_MINUTES = 10_000;
  private static final Duration TIME_TO_REPORT = Duration.ofSeconds(20);

  /**
   * The results of a soak.
   *
   * @param interrupted whether it was ended before its time
   */
  record Report(
      RunInfo info,
      long seed,
      double seconds,
      boolean interrupted,
      @JsonUnwrapped ChaosCounts counts) {}

  @Spec private CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      defaultValue = "20",
      description = "How long to run jobs; default ${DEFAULT-VALUE}.")
  private double minutes;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Minimum number of jobs per application, however long they take; default"
              + " ${DEFAULT-VALUE}.")
  private int jobs;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Random seed; default: a new one each time, which is printed.")
  private Long seed;

  @Option(
      names = "--master",
      paramLabel = "URL",
      defaultValue = "local-cluster[2,1,1024]",
      description = "Spark master of the executors with faults; default ${DEFAULT-VALUE}.")
  private String master;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      description =
          "Run on N hosts instead, network namespaces of this machine with two executors each."
              + " Needs root and iproute2.")
  private Integer hosts;

  @Option(
      names = "--pods",
      description =
          "With --hosts: the hosts are pods of one node, which share a folder for heaps but not"
              + " their disks.")
  private boolean pods;

  @Option(
      names = "--own",
      split = ",",
      paramLabel = "WHAT",
      description =
          "With --hosts: what executors of a host have that others do not: users (another user on"
              + " each host), limits (few file descriptors on every other host). Separate both with"
              + " a comma.")
  private Set<HostsSite.Own> own = Set.of();

  @Option(
      names = "--other-jar",
      paramLabel = "JAR",
      description = "With --hosts: the jar of SymShuffle, of another version, on the first host.")
  private Path otherJar;

  @Mixin private final GpuOptions gpus = new GpuOptions();

  @Option(
      names = "--executors",
      paramLabel = "N",
      description =
          "With --rapids: number of executors, which share GPUs if there are fewer;"
              + " default: one for each GPU, at least 2.")
  private Integer executors;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the counts as JSON.")
  private Path json;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Folder for rows and logs: new, empty, or that of an earlier soak, whose files are"
              + " deleted. Default: benchmarks/target/chaos.")
  private Path out;

  @Override
  public Integer call() {
    if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
      throw CliException.wrongUsage(
          "--minutes is %s; it must be above 0 and at most %d.".formatted(minutes, MAX_MINUTES));
    }
    CliException.checkAtLeast1("--jobs", jobs);
    checkPlace();
    JsonOutput.check(json);
    Path folder = out != null ? out : SparkRuntime.home().resolve("benchmarks/target/chaos");
    ChaosSoak.checkFolder(folder);
    long chosen = seed != null ? seed : new SecureRandom().nextInt(1_000_000);
    SparkRuntime runtime = SparkRuntime.ofTree();
    Console console = Console.of(spec.commandLine());
    console.line("Seed " + chosen + ", logs in " + folder.toAbsolutePath());
    ChaosSoak soak =
        new ChaosSoak(runtime, site(runtime), folder.toAbsolutePath(), chosen, console);
    CountDownLatch reported = new CountDownLatch(1);
    TerminationHook hook = new TerminationHook(() -> stop(soak, reported));
    try {
      return run(soak, chosen, console);
    } catch (IOException e) {
      throw new CliException("Cannot write a report or log: " + Failures.reason(e) + ".", e);
    } finally {
      reported.countDown();
      hook.close();
    }
  }

  private int run(ChaosSoak soak, long chosen, Console console) throws IOException {
    long start = System.nanoTime();
    Duration time = Duration.ofMillis(Math.round(minutes * 60_000));
    int rounds = Math.max(1, (int) Math.round(minutes / MINUTES_PER_ROUND));
    ChaosCounts counts = soak.run(time, rounds, jobs);
    boolean interrupted = TerminationHook.isEnding();
    console.line("");
    counts.faults.forEach((kind, number) -> console.line("%8d %s".formatted(number, kind)));
    console.line(
        "chaos: seed %d%s: %s"
            .formatted(chosen, interrupted ? ", interrupted" : "", counts.line()));
    if (json != null && soak.info() == null) {
      throw new CliException("No application started; there is nothing to report.");
    }
    if (json != null) {
      double seconds = (System.nanoTime() - start) / 1e9;
      ReportFile.write(json, new Report(soak.info(), chosen, seconds, interrupted, counts));
    }
    return counts.clean() ? 0 : 1;
  }

  /** Ends the soak while this process is ending, and waits until it has reported what it has. */
  private static void stop(ChaosSoak soak, CountDownLatch reported) {
    soak.stop();
    try {
      boolean unused = reported.await(TIME_TO_REPORT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Checks where applications shall run. */
  private void checkPlace() {
    CliException.checkAtLeast1("--executors", executors);
    gpus.check();
    if (hosts == null && (pods || !own.isEmpty() || otherJar != null)) {
      throw CliException.wrongUsage(
          "--pods, --own and --other-jar have no effect without --hosts N.");
    }
    if (otherJar != null && !Files.exists(otherJar)) {
      throw CliException.wrongUsage("--other-jar is " + otherJar + ", which does not exist.");
    }
    if (hosts != null) {
      checkHosts();
    }
    if (gpus.areUsed() || hosts != null) {
      if (spec.commandLine().getParseResult().hasMatchedOption("--master")) {
        throw CliException.wrongUsage(
            "--master has no effect on hosts and on executors with GPUs, which run in their own"
                + " cluster: use --hosts N or --executors N.");
      }
    } else if (executors != null) {
      throw CliException.wrongUsage(
          "--executors needs --rapids; without GPUs, --master has the number.");
    } else if (!new SparkMaster(master).url().startsWith("local-cluster")) {
      throw CliException.wrongUsage(
          "--master must be a local-cluster[...], because chaos kills executors.");
    }
  }

  private void checkHosts() {
    if (gpus.areUsed() || executors != null) {
      throw CliException.wrongUsage("--hosts is for executors without GPUs, two on each host.");
    }
    CliException.checkRange("--hosts", hosts, 2, Hosts.MAX_COUNT);
    HostOptions.checkObstacle(Hosts.obstacle());
  }

  private ChaosSite site(SparkRuntime runtime) {
    if (hosts != null) {
      return new HostsSite(runtime, hosts, pods, own, Optional.ofNullable(otherJar));
    }
    return gpus.areUsed()
        ? new GpuSite(runtime, gpus, executors != null ? executors : Math.max(2, gpus.count()))
        : new LocalSite(runtime, new SparkMaster(master));
  }
}
