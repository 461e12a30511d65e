// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.hosts;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.hosts.HostsBench.Plan;
import io.symshuffle.benchmarks.launch.ClusterOptions;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.ManagerChoice;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.measure.RunOptions;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.benchmarks.suite.SuiteOptions;
import io.symshuffle.benchmarks.workload.ShuffleCase;
import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.plugin.config.Count;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench hosts}. */
@Command(
    name = "hosts",
    description = {
      "Compares shuffle managers on several hosts: network namespaces of this machine, each with"
          + " one core and a link of a limited rate. Needs root and iproute2.",
      ""
    },
    footer = {
      "",
      "The master and the drivers run outside of the hosts. Bytes are all bytes that the hosts"
          + " send, and CPU seconds are those of the executors.",
      "",
      "Exit status: 0 all jobs ran and gave the same results, 1 a job failed or its results differ,"
          + " 2 could not run, 130 interrupted.",
      "",
      "Examples:",
      "  symshuffle bench hosts",
      "  symshuffle bench hosts --hosts 4 --rates 1gbit --cases repartition",
      "  symshuffle bench hosts --cases tpch --scale 1 --queries q4,q18"
    })
public final class HostsCommand implements Benchmark {
  private static final String TPCH = Suite.TPCH.name();
  private static final Pattern RATE = Pattern.compile("none|[1-9][0-9]*(kbit|mbit|gbit)");
  private static final Pattern DELAY = Pattern.compile("|[0-9]+(\\.[0-9]+)?(us|ms|s)");

  @Spec private CommandSpec spec;

  @Mixin
  private final ClusterOptions cluster = new ClusterOptions("sort", "sort-zstd", "symshuffle");

  @Mixin private final RunOptions often = new RunOptions("bench-hosts", 5, 1);

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of hosts, from 2 to 64; default ${DEFAULT-VALUE}.")
  private int hosts;

  @Option(
      names = "--rates",
      split = ",",
      paramLabel = "RATES",
      defaultValue = "300mbit,1gbit,none",
      description =
          "Rates of the hosts' links, in turn in each round, such as 300mbit or 10gbit, or none for"
              + " no limit; default ${DEFAULT-VALUE}.")
  private List<String> rates;

  @Option(
      names = "--delay",
      paramLabel = "TIME",
      defaultValue = "",
      description = "Delay of each link, such as 0.2ms; default none.")
  private String delay;

  @Option(
      names = "--cases",
      split = ",",
      paramLabel = "NAMES",
      defaultValue = "repartition,groupby,join,tpch",
      description = "Jobs to run: tpch, and those of bench shuffle; default ${DEFAULT-VALUE}.")
  private List<String> cases;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "2m",
      description =
          "Rows of the case repartition, such as 400m for 400 million; others scale this to take"
              + " similar time. Default ${DEFAULT-VALUE}.")
  private Count rows;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "64",
      description = "Number of partitions; default ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      defaultValue = "0.1",
      description = "Scale factor of TPC-H; default ${DEFAULT-VALUE}: about 100 MB as text.")
  private double scale;

  @Option(
      names = "--queries",
      split = ",",
      paramLabel = "NAMES",
      description = "Queries of TPC-H, such as q4,q18; default all.")
  private List<String> queries = Suite.TPCH.queries().names();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Folder of the tables of TPC-H, which are generated there if missing. Default:"
              + " benchmarks/target/tpch/sf<scale>.")
  private Path data;

  private Path json;

  /** For {@link java.util.ServiceLoader}. */
  public HostsCommand() {}

  @Override
  public Integer call() {
    check();
    Plan plan =
        new Plan(
            hosts,
            rates.stream().distinct().toList(),
            delay,
            jobs(),
            rows.value(),
            partitions,
            cases.contains(TPCH) ? queries.stream().distinct().toList() : List.of(),
            scale,
            tables(),
            often.warmUps(),
            often.runs(),
            often.note());
    Hosts.obstacle()
        .or(() -> delay.isEmpty() ? Optional.empty() : Hosts.netemObstacle())
        .ifPresent(
            reason -> {
              throw new CliException("bench hosts cannot create such hosts here: " + reason + ".");
            });
    json = often.json().orElse(often.out().resolve("hosts.json"));
    Console console = Console.of(spec.commandLine());
    try {
      HostsReport report =
          new HostsBench(plan, cluster, SparkRuntime.ofTree(), console)
              .run(often.out(), this::write);
      console.line("\nJSON: " + json + "\n" + report.summary());
      return report.good() ? 0 : 1;
    } catch (IOException e) {
      throw new CliException("Cannot write a report or log: " + Failures.reason(e) + ".", e);
    }
  }

  private void write(HostsReport report) throws IOException {
    JsonFile.write(report, json);
  }

  private void check() {
    cluster.check();
    often.check();
    if (spec.commandLine().getParseResult().hasMatchedOption("--master")) {
      throw CliException.wrongUsage("bench hosts starts its own cluster: omit --master.");
    }
    cluster.checkLocalFolders(false);
    cluster.managers().stream()
        .filter(ManagerChoice::needsRapids)
        .forEach(
            manager -> {
              throw CliException.wrongUsage(
                  manager.label() + " needs GPUs, which the executors of bench hosts do not have.");
            });
    cluster.checkSettings(cluster.managers());
    if (hosts < 2 || hosts > Hosts.MAX_COUNT) {
      throw CliException.wrongUsage(
          "--hosts must be from 2 to " + Hosts.MAX_COUNT + ", not " + hosts + ".");
    }
    rates.stream()
        .filter(rate -> !RATE.matcher(rate).matches())
        .forEach(
            rate -> {
              throw CliException.wrongUsage(
                  "'" + rate + "' is not a rate: use none, or a number with kbit, mbit or gbit.");
            });
    if (!DELAY.matcher(delay).matches()) {
      throw CliException.wrongUsage(
          "--delay must be a number with us, ms or s, such as 0.2ms, not '" + delay + "'.");
    }
    if (rows.value() < 1) {
      throw CliException.wrongUsage("--rows must be at least 1.");
    }
    if (partitions < 1) {
      throw CliException.wrongUsage("--partitions must be at least 1.");
    }
    SuiteOptions.checkScale(scale);
    List<String> known = Suite.TPCH.queries().names();
    queries.stream()
        .filter(query -> !known.contains(query))
        .forEach(
            query -> {
              throw CliException.wrongUsage(
                  "Unknown query '" + query + "'; choose from " + String.join(", ", known) + ".");
            });
    jobs();
    checkVisible(often.out());
    checkVisible(tables());
  }

  private static void checkVisible(Path folder) {
    if (Hosts.hide(folder)) {
      throw CliException.wrongUsage(
          "The hosts have their own /tmp and /dev/shm: choose another folder than " + folder + ".");
    }
  }

  private Path tables() {
    String folder = "benchmarks/target/" + TPCH + "/sf" + Figures.scale(scale);
    return (data != null ? data : SparkRuntime.home().resolve(folder)).toAbsolutePath();
  }

  private List<ShuffleCase> jobs() {
    return cases.stream()
        .distinct()
        .filter(name -> !name.equals(TPCH))
        .map(HostsCommand::job)
        .toList();
  }

  private static ShuffleCase job(String label) {
    try {
      return ShuffleCase.named(label);
    } catch (IllegalArgumentException e) {
      throw CliException.wrongUsage(e.getMessage() + ", " + TPCH + ".");
    }
  }
}
