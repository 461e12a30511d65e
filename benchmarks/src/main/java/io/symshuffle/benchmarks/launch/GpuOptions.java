// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.report.Machine;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.cli.doctor.GpuFacts;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.GpuShare;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.rapids.RapidsChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** The options of a comparison on GPUs, with the RAPIDS Accelerator. */
public final class GpuOptions {
  /** In the driver's log. */
  private static final String ON_HOST = "RAPIDS copies its tables to the host";

  private static final String POOL = "spark.rapids.memory.gpu.allocSize";
  private static final String HEAP = Settings.DEVICE_HEAP_SIZE.key();

  /** CUDA's context, kernels, and the 640 MiB that RAPIDS keeps free. */
  private static final long CONTEXT_BYTES = 2L << 30;

  private static final Duration TIME_TO_QUERY = Duration.ofSeconds(60);

  @Option(
      names = "--rapids",
      paramLabel = "JAR",
      description =
          "Run on the GPUs of this machine with the RAPIDS Accelerator in this jar, with one"
              + " executor per GPU. Comparisons then take its multi-threaded shuffle manager as the"
              + " baseline.")
  private Path jar;

  @Option(
      names = "--gpus",
      paramLabel = "N",
      description = "With --rapids: number of GPUs; default all.")
  private Integer gpus;

  @Option(
      names = "--gpu-cores",
      paramLabel = "N",
      description =
          "With --rapids: CPU cores per executor; default: cores of the machine divided by GPUs.")
  private Integer cores;

  @Option(
      names = "--gpu-pool",
      paramLabel = "SIZE",
      description =
          "With --rapids: size of RAPIDS' memory pool per executor. Default: what is free, without"
              + " the device heap.")
  private ByteSize pool;

  @Option(
      names = "--rapids-libs",
      paramLabel = "DIR",
      description = "With --rapids: folder of its native libraries, if they are not in the jar.")
  private Path libraries;

  private OptionalLong free;

  /** Returns the jar of RAPIDS; empty for a comparison without it. */
  public Optional<Path> jar() {
    return Optional.ofNullable(jar).map(Path::toAbsolutePath);
  }

  /**
   * Checks the values, and that this machine has the GPUs, before anything is started.
   *
   * @throws CliException if a value is invalid, or there are too few GPUs
   */
  public void check() {
    checkValues();
    checkMachine();
  }

  void checkValues() {
    CliException.checkAtLeast1("--gpus", gpus);
    CliException.checkAtLeast1("--gpu-cores", cores);
    CliException.checkEffect("--gpus", gpus, areUsed(), "--rapids JAR");
    CliException.checkEffect("--gpu-cores", cores, areUsed(), "--rapids JAR");
    CliException.checkEffect("--gpu-pool", pool, areUsed(), "--rapids JAR");
    CliException.checkEffect("--rapids-libs", libraries, areUsed(), "--rapids JAR");
    if (areUsed() && !Files.isRegularFile(jar)) {
      throw CliException.wrongUsage(
          "--rapids is %s, which %s."
              .formatted(jar, Files.exists(jar) ? "is not a file" : "does not exist"));
    }
  }

  void checkMachine() {
    if (!areUsed()) {
      return;
    }
    CudaDriver.system()
        .absence()
        .ifPresent(
            reason -> {
              throw new CliException("--rapids needs a GPU: %s.".formatted(reason));
            });
    int present = CudaDriver.system().deviceCount();
    if (gpus != null && gpus > present) {
      throw new CliException(
          "--gpus is %d, but this machine has only %d.".formatted(gpus, present));
    }
  }

  /** Returns whether executors get GPUs. */
  public boolean areUsed() {
    return jar != null;
  }

  /** Returns the number of GPUs. */
  public int count() {
    if (gpus != null) {
      return gpus;
    }
    return CudaDriver.system().absence().isPresent() ? 0 : CudaDriver.system().deviceCount();
  }

  /**
   * Checks that hosts see the files of RAPIDS.
   *
   * @throws CliException if they have their own folder of that name
   */
  void checkVisible(HostOptions hosts) {
    jar().ifPresent(path -> hosts.checkVisible(() -> path));
    if (libraries != null) {
      hosts.checkVisible(() -> libraries);
    }
  }

  /** Returns the number of GPUs for reports, such as {@code 2 GPUs}. */
  public String text() {
    return count() == 1 ? "1 GPU" : count() + " GPUs";
  }

  /** Returns the size of RAPIDS' memory pool that the user has chosen. */
  public Optional<ByteSize> pool() {
    return Optional.ofNullable(pool);
  }

  /**
   * Returns the settings of the GPU memory of an application: an executor has its part of what was
   * free when this was first called. Its device heap, if it has one, is taken from RAPIDS' pool, so
   * that all applications have the same.
   *
   * @param executors executors on each GPU
   * @param settings those of the user
   * @throws CliException if a size is not valid
   */
  Map<String, String> memory(
      Configuration configuration, int executors, Map<String, String> settings) {
    Optional<ByteSize> exact =
        size(POOL, settings, ByteSize::parse, "a size such as 8g").or(this::pool);
    GpuShare heap =
        size(HEAP, settings, GpuShare::parse, Settings.DEVICE_HEAP_SIZE.type().allowed())
            .orElse(Settings.DEVICE_HEAP_SIZE.defaultValue());
    if (free == null) {
      free = areUsed() ? freeBytes() : OptionalLong.empty();
    }
    return free.isEmpty() || !configuration.needsRapids()
        ? Map.of()
        : memory(free.getAsLong() / executors, exact, heap, configuration.hasDeviceHeap());
  }

  /** The same for an executor with this much free memory. */
  static Map<String, String> memory(
      long free, Optional<ByteSize> exact, GpuShare heap, boolean hasHeap) {
    long usable = Math.max(0, free - CONTEXT_BYTES);
    long ofHeap = hasHeap ? heap.of(usable) : 0;
    Map<String, String> memory = new LinkedHashMap<>();
    memory.put(POOL, mib(exact.map(ByteSize::bytes).orElse(usable - ofHeap)));
    if (hasHeap) {
      memory.put(HEAP, mib(ofHeap));
    }
    return memory;
  }

  private static String mib(long bytes) {
    return (bytes >> 20) + "m";
  }

  /** Returns what is free on the GPU with the least. */
  private OptionalLong freeBytes() {
    return GpuFacts.query(TIME_TO_QUERY).gpus().stream()
        .limit(count())
        .mapToLong(GpuFacts.Gpu::freeBytes)
        .min();
  }

  private static <T> Optional<T> size(
      String key, Map<String, String> settings, Function<String, T> parser, String allowed) {
    String text = settings.get(key);
    try {
      return Optional.ofNullable(text).map(parser);
    } catch (IllegalArgumentException e) {
      throw CliException.wrongUsage("--conf %s=%s: it must be %s.".formatted(key, text, allowed));
    }
  }

  /** Returns the memory in use on these GPUs, of all processes, in bytes. */
  public long usedBytes() {
    return GpuFacts.query(TIME_TO_QUERY).gpus().stream()
        .limit(count())
        .mapToLong(gpu -> gpu.totalBytes() - gpu.freeBytes())
        .sum();
  }

  /** Returns what each executor gets if there is one per GPU. */
  public GpuWorker worker() {
    return worker(count());
  }

  /** Returns what each of these executors gets. */
  GpuWorker worker(int executors) {
    int processors = Runtime.getRuntime().availableProcessors();
    return new GpuWorker(cores != null ? cores : Math.max(1, processors / executors), 20);
  }

  /**
   * Returns whether RAPIDS' tables go through the host in an application with SymShuffle. One that
   * silently does so proves nothing about device heaps.
   */
  public static boolean tablesAreOnHost(Application application) throws IOException {
    return Files.readString(application.log()).contains(ON_HOST);
  }

  /** Returns the Spark settings of every application with one executor per GPU. */
  public Map<String, String> settings() {
    return settings(count());
  }

  /** Returns the Spark settings of every application with this many executors on GPUs. */
  Map<String, String> settings(int executors) {
    GpuWorker worker = worker(executors);
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.executor.cores", Integer.toString(worker.cores()));
    settings.put("spark.executor.memory", worker.memoryGiB() - 2 + "g");
    settings.put("spark.executor.instances", Integer.toString(executors));
    settings.put("spark.cores.max", Integer.toString(executors * worker.cores()));
    settings.put("spark.executor.resource.gpu.amount", "1");
    settings.put("spark.task.resource.gpu.amount", Double.toString(1.0 / worker.cores()));
    settings.put("spark.rapids.sql.explain", "NONE");
    // SymShuffle would choose the partitions for itself only.
    ExpertSettings.onGpus(
            ExpertSettings.MAX_GPU_TASKS,
            ExpertSettings.pinned(Machine.here().memoryBytes() / executors),
            RapidsChoice.partitions(executors).orElse(0))
        .forEach(setting -> settings.put(setting.key(), setting.value()));
    if (libraries != null) {
      String option =
          "-Dai.rapids.cudf.lib-native-dir=\"%s\"".formatted(libraries.toAbsolutePath());
      settings.put("spark.executor.extraJavaOptions", option);
      settings.put("spark.driver.extraJavaOptions", option);
    }
    return settings;
  }
}
