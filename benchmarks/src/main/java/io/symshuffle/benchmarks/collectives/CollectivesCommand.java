// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.Configuration;
import io.symshuffle.benchmarks.launch.SparkMaster;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.benchmarks.workload.Collective;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.cli.JsonOutput;
import io.symshuffle.cli.pe.Backend;
import io.symshuffle.cli.pe.PeJob;
import io.symshuffle.cli.pe.PeLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle bench collectives}. */
@Command(
    name = "collectives",
    description = {
      "Times collectives of the tasks of a barrier stage on symmetric memory of this host, one"
          + " executor per PE, beside treeAggregate and allGather of Spark, and checks the"
          + " results. With --backend cuda or nvshmem, times all-to-alls of GPUs, one process"
          + " per PE: the kernel of shuffles, copy engines and NVSHMEM.",
      ""
    },
    footer = {
      "",
      "Times are medians of calls, of the slowest task; of GPUs, means of the device's times, of"
          + " the slowest PE. Rates count the bytes of a PE's data, its own block included. Sums"
          + " are of floats; treeAggregate's are at the driver only.",
      "",
      "Exit status: 0 all results are right, 1 one is not or a job failed, 2 could not run.",
      "",
      "Examples:",
      "  symshuffle bench collectives",
      "  symshuffle bench collectives --pes 2 --sizes 100MiB --json collectives.json",
      "  symshuffle bench collectives --backend cuda --pes 2 --sizes 4MiB:256MiB"
    })
public final class CollectivesCommand implements Benchmark {
  private static final long WORK_BYTES = 1L << 30;

  @Spec private CommandSpec spec;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      defaultValue = "shm",
      description = "shm, or nvshmem or cuda for GPUs; default ${DEFAULT-VALUE}.")
  private Backend backend = Backend.SHM;

  @Option(
      names = "--pes",
      split = ",",
      paramLabel = "N",
      defaultValue = "2,4",
      description = "Number of PEs, or several in turn; default ${DEFAULT-VALUE}.")
  private List<Integer> pes;

  @Option(
      names = "--sizes",
      paramLabel = "RANGE",
      defaultValue = "8B:16MiB",
      description =
          "Bytes of each PE's data, for example 100MiB, or 8B:1GiB, in which each size is 8 times"
              + " the one before; default ${DEFAULT-VALUE}.")
  private String sizes;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      defaultValue = "4g",
      description = "Java heap of the driver and of each executor; default ${DEFAULT-VALUE}.")
  private String memory;

  @Option(names = "--json", paramLabel = "FILE", description = "Write all numbers as JSON.")
  private Path json;

  @Option(
      names = "--limit",
      paramLabel = "SECONDS",
      defaultValue = "600",
      description =
          "Timeout of each measurement and of the start of an application, with GPUs of each number"
              + " of PEs; default ${DEFAULT-VALUE}.")
  private int limit;

  private final List<Row> rows = new ArrayList<>();
  private RunInfo info;
  private Console console;

  /** A measurement. */
  record Row(int pes, long bytes, String method, double microseconds, boolean right) {}

  /** All measurements. */
  record Rows(RunInfo info, List<Row> rows) {}

  @Override
  public Integer call() {
    CliException.checkAtLeast1("--limit", limit);
    if (pes.isEmpty() || pes.stream().anyMatch(n -> n < 1 || n > 64)) {
      throw CliException.wrongUsage("--pes must be numbers from 1 to 64, such as 2,4.");
    }
    JsonOutput.check(json);
    SizeRange.parse(sizes, 1);
    Backend.choose(backend, Collections.max(pes));
    console = Console.of(spec.commandLine());
    console.line(
        "%4s  %-10s  %-20s  %12s  %8s  %s"
            .formatted("PEs", "size", "method", "us", "GB/s", "result"));
    try {
      for (int count : pes.stream().distinct().toList()) {
        if (backend == Backend.SHM) {
          measureStage(count, SizeRange.parse(sizes, Float.BYTES));
        } else {
          measureGpus(count, SizeRange.parse(sizes, 16L * count));
        }
      }
    } finally {
      write();
    }
    boolean right = rows.stream().allMatch(Row::right);
    console.line(right ? "All results are right." : "RESULTS ARE WRONG.");
    return right ? 0 : 1;
  }

  private void measureStage(int count, List<Long> bytes) {
    try (Application application = start(count, bytes.getLast())) {
      Reply.Ready ready = application.awaitReady(Duration.ofSeconds(limit));
      info =
          info == null
              ? RunInfo.now("local-cluster, an executor per PE", ready, Map.of())
              : info.with(ready.applicationId());
      for (long size : bytes) {
        for (Collective method : Collective.values()) {
          if (size <= method.mostBytes()) {
            add(measure(application, method, count, size));
          }
        }
      }
    }
  }

  private void measureGpus(int count, List<Long> bytes) {
    Map<List<String>, List<PeLine>> results = new HashMap<>();
    new PeJob(GpuPe.class, backend, count, bytes.stream().map(size -> Long.toString(size)).toList())
        .run(Duration.ofSeconds(limit), line -> receive(line, count, results));
  }

  /**
   * Receives a line of a {@link GpuPe}.
   *
   * @param results those lines of PEs with the same method and size
   */
  private void receive(PeLine line, int count, Map<List<String>, List<PeLine>> results) {
    List<String> values = line.values();
    if (line.kind().equals("device") && info == null) {
      String master = "a process per PE with a GPU, " + values.getFirst();
      info = RunInfo.now(master, new Reply.Ready("", "", "", count, count), Map.of());
    } else if (line.kind().equals("skipped") && line.pe() == 0) {
      console.line("Skipped " + String.join(": ", values) + ".");
    } else if (line.kind().equals("result")) {
      List<PeLine> lines =
          results.computeIfAbsent(values.subList(0, 2), unused -> new ArrayList<>());
      lines.add(line);
      if (lines.size() == count) {
        add(
            new Row(
                count,
                Long.parseLong(values.get(1)),
                values.get(0),
                lines.stream()
                    .mapToDouble(each -> Double.parseDouble(each.values().get(2)))
                    .max()
                    .orElseThrow(),
                lines.stream().allMatch(each -> Boolean.parseBoolean(each.values().get(3)))));
      }
    }
  }

  private void add(Row row) {
    rows.add(row);
    console.line(text(row));
  }

  private Application start(int count, long most) {
    Map<String, String> settings =
        new LinkedHashMap<>(Configuration.named("symshuffle").settings());
    // An all-to-all has two buffers. Those of an earlier call can be freed once its job is over.
    settings.put("spark.symshuffle.heap.size", ((2 * most) >> 20) + 64 + "m");
    settings.put("spark.driver.maxResultSize", "0");
    settings.put("spark.rpc.message.maxSize", "1024");
    settings.put("spark.executor.memory", memory);
    try {
      return Application.start(
          new ApplicationSpec(
              "collectives-" + count,
              new SparkMaster("local-cluster[%d,1,%d]".formatted(count, 1 << 16)),
              memory,
              settings,
              true,
              List.of(),
              Files.createTempDirectory("symshuffle-collectives")),
          SparkRuntime.ofTree(),
          console);
    } catch (IOException e) {
      throw new CliException("Cannot create a folder: " + Failures.reason(e) + ".", e);
    }
  }

  private Row measure(Application application, Collective method, int count, long bytes) {
    boolean sparks = method == Collective.TREE_AGGREGATE || method == Collective.SPARK_ALL_GATHER;
    int times = sparks ? 5 : Math.clamp(WORK_BYTES / bytes, 5, 500);
    Reply reply =
        application.ask(
            new Request.Collect(method.label(), count, bytes, times),
            method.label(),
            Duration.ofSeconds(limit),
            progress -> {});
    if (reply instanceof Reply.Counted counted) {
      return new Row(
          count,
          bytes,
          method.label(),
          counted.values().get("seconds") * 1e6,
          counted.values().get("wrong") == 0);
    }
    throw CliException.problem(
        "%s of %s failed: %s. The log is %s."
            .formatted(method.label(), SizeRange.format(bytes), reply, application.log()));
  }

  private static String text(Row row) {
    return "%4d  %-10s  %-20s  %12.1f  %8.2f  %s"
        .formatted(
            row.pes(),
            SizeRange.format(row.bytes()),
            row.method(),
            row.microseconds(),
            row.bytes() / row.microseconds() / 1e3,
            row.right() ? "right" : "WRONG");
  }

  /** Writes what was measured, also before a failure. */
  private void write() {
    try {
      if (json != null && !rows.isEmpty()) {
        ReportFile.write(json, new Rows(info, rows));
      }
    } catch (IOException e) {
      throw new CliException("Cannot write a report: " + Failures.reason(e) + ".", e);
    }
  }
}
