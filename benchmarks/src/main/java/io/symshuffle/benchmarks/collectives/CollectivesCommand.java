// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.benchmarks.barrier.Collective;
import io.symshuffle.benchmarks.barrier.Nccl;
import io.symshuffle.benchmarks.barrier.Provider;
import io.symshuffle.benchmarks.bench.Benchmark;
import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.Configuration;
import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.benchmarks.launch.SparkMaster;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.benchmarks.report.RunInfo;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.cli.JsonOutput;
import io.symshuffle.cli.pe.Backend;
import io.symshuffle.cuda.CudaDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
          + " results. With --backend cuda or nvshmem, the memory is that of GPUs, beside NCCL and"
          + " NVSHMEM.",
      ""
    },
    footer = {
      "",
      "Times are medians of calls, of the slowest task, until the result is there. Rows with"
          + " 'queued' are means of what the GPU takes for one of many calls that were queued"
          + " together, which only NCCL and NVSHMEM allow. Rates count the bytes of a PE's data,"
          + " its own block included. Sums are of floats; treeAggregate's are at the driver only.",
      "",
      "Executors take turns at choosing one of the GPUs in CUDA_VISIBLE_DEVICES. NCCL is searched"
          + " for in NCCL_HOME, or else in LD_LIBRARY_PATH and in Python's packages. Logs"
          + " are in a temporary folder, which stays if the command fails.",
      "",
      "Exit status: 0 all results are right, 1 one is not or a job failed, 2 could not run.",
      "",
      "Examples:",
      "  symshuffle bench collectives",
      "  symshuffle bench collectives --pes 2 --sizes 100MiB --json collectives.json",
      "  symshuffle bench collectives --backend cuda --pes 2 --sizes 8B:1GiB"
    })
public final class CollectivesCommand implements Benchmark {
  private static final String DEVICE = "spark.symshuffle.device.";

  /** Large arrays are not sent more often than this takes. */
  private static final long WORK_BYTES = 1L << 30;

  /** GPUs send faster. */
  private static final long GPU_WORK_BYTES = 1L << 34;

  @Spec private CommandSpec spec;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      defaultValue = "shm",
      description = "shm, or cuda or nvshmem for device heaps of GPUs; default ${DEFAULT-VALUE}.")
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
          "Timeout of each measurement and of the start of an application; default"
              + " ${DEFAULT-VALUE}.")
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
    List<Long> bytes = SizeRange.parse(sizes);
    // Executors with heaps of CUDA memory can share a GPU.
    Backend.choose(backend, backend == Backend.NVSHMEM ? Collections.max(pes) : 1);
    console = Console.of(spec.commandLine());
    console.line(
        "%4s  %-10s  %-26s  %12s  %8s  %s"
            .formatted("PEs", "size", "method", "us", "GB/s", "result"));
    try {
      pes.stream().distinct().forEach(count -> measure(count, bytes));
    } finally {
      write();
    }
    boolean right = rows.stream().allMatch(Row::right);
    console.line(right ? "All results are right." : "RESULTS ARE WRONG.");
    return right ? 0 : 1;
  }

  private void measure(int count, List<Long> bytes) {
    try {
      Path folder = Files.createTempDirectory("symshuffle-collectives-");
      measure(count, bytes, folder);
      Folders.delete(folder);
    } catch (IOException e) {
      throw new CliException(
          "Cannot create or delete a temporary folder: " + Failures.reason(e) + ".", e);
    }
  }

  private void measure(int count, List<Long> bytes, Path folder) {
    List<Provider> providers = providers(count);
    try (Application application = start(count, bytes.getLast(), folder)) {
      Reply.Ready ready = application.awaitReady(Duration.ofSeconds(limit));
      info =
          info == null
              ? RunInfo.now("local-cluster, an executor per PE" + gpus(), ready, gpuSettings())
              : info.with(ready.applicationId());
      for (Provider provider : providers) {
        for (long size : bytes) {
          for (Collective method : provider.collectives()) {
            if (size <= method.mostBytes()) {
              measure(application, provider, method, count, size);
            }
          }
        }
      }
    }
  }

  private List<Provider> providers(int count) {
    if (backend == Backend.SHM) {
      return List.of(Provider.HOST);
    }
    List<Provider> providers = new ArrayList<>(List.of(Provider.GPU));
    ncclAbsence(count)
        .ifPresentOrElse(
            reason -> console.line("Skipped NCCL: " + reason + "."),
            () -> providers.add(Provider.NCCL));
    if (backend == Backend.NVSHMEM) {
      providers.add(Provider.NVSHMEM);
    }
    return providers;
  }

  private static Optional<String> ncclAbsence(int count) {
    int present = CudaDriver.system().deviceCount();
    return count > present
        ? Optional.of("each of its PEs needs a GPU, and %d PEs share %d".formatted(count, present))
        : Nccl.open().absence();
  }

  /** Returns the GPUs and NCCL's version, for reports. */
  private String gpus() {
    if (backend == Backend.SHM) {
      return "";
    }
    CudaDriver driver = CudaDriver.system();
    Nccl nccl = Nccl.open();
    return ", %d %s, %s"
        .formatted(
            driver.deviceCount(),
            driver.device(0).name(),
            nccl.absence().isPresent() ? "no NCCL" : "NCCL " + nccl.version());
  }

  private Map<String, String> gpuSettings() {
    return backend == Backend.SHM
        ? Map.of()
        : Map.of(
            DEVICE + "required",
            "true",
            DEVICE + "backend",
            backend.name().toLowerCase(Locale.ROOT),
            // Multicast objects can make the GPUs of a shared machine unusable.
            "spark.executorEnv.NCCL_NVLS_ENABLE",
            "0");
  }

  private Application start(int count, long most, Path folder) {
    Map<String, String> settings =
        new LinkedHashMap<>(Configuration.named("symshuffle").settings());
    // An all-to-all has two buffers. Those of an earlier call can be freed once its job is over.
    String heap = ((2 * most) >> 20) + 64 + "m";
    settings.put("spark.symshuffle.heap.size", backend == Backend.SHM ? heap : "64m");
    settings.put(DEVICE + "heap.size", heap);
    settings.putAll(gpuSettings());
    settings.put("spark.driver.maxResultSize", "0");
    settings.put("spark.rpc.message.maxSize", "1024");
    settings.put("spark.executor.memory", memory);
    return Application.start(
        new ApplicationSpec(
            "collectives-" + count,
            new SparkMaster("local-cluster[%d,1,%d]".formatted(count, 1 << 16)),
            memory,
            settings,
            true,
            List.of(),
            folder),
        SparkRuntime.ofTree(),
        console);
  }

  private void measure(
      Application application, Provider provider, Collective method, int count, long bytes) {
    boolean sparks = method == Collective.TREE_AGGREGATE || method == Collective.SPARK_ALL_GATHER;
    long work = provider == Provider.HOST ? WORK_BYTES : GPU_WORK_BYTES;
    int times = sparks ? 5 : Math.clamp(work / bytes, 5, 500);
    String label = provider.label(method);
    Reply reply =
        application.ask(
            new Request.Collect(provider.name(), method.label(), count, bytes, times),
            label,
            Duration.ofSeconds(limit),
            progress -> {});
    if (!(reply instanceof Reply.Counted(Map<String, Double> values))) {
      throw CliException.problem(
          "%s of %s failed: %s. The log is %s."
              .formatted(label, SizeRange.format(bytes), reply, application.log()));
    }
    boolean right = values.get("wrong") == 0;
    add(new Row(count, bytes, label, values.get("seconds") * 1e6, right));
    if (values.get("queued") > 0) {
      add(new Row(count, bytes, label + ", queued", values.get("queued") * 1e6, right));
    }
  }

  private void add(Row row) {
    rows.add(row);
    console.line(text(row));
  }

  private static String text(Row row) {
    return "%4d  %-10s  %-26s  %12.1f  %8.2f  %s"
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
