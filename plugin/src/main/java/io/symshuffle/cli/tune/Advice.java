// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.cli.Recommendation;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SparkVersion;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Recommends settings for the executors of a cluster. */
final class Advice {
  private static final int PARTITIONS_PER_CORE = 3;
  private static final int MIN_PARTITIONS = 16;
  private static final int MANY_PARTITIONS = 4096;
  private static final String CLEANUP =
      "frees the map outputs of a query when it ends, so that the next query finds the heap empty";
  private static final String PLUGIN = "io.symshuffle.SymShufflePlugin";

  private final Layout layout;
  private final MemoryPlan memory;
  private final Optional<GpuPlan> gpuPlan;
  private final Optional<JobFacts> job;
  private final List<Recommendation> settings = new ArrayList<>();

  Advice(Layout layout, MemoryPlan memory, Optional<GpuPlan> gpuPlan, Optional<JobFacts> job) {
    this.layout = layout;
    this.memory = memory;
    this.gpuPlan = gpuPlan;
    this.job = job;
  }

  List<Recommendation> settings() {
    settings.clear();
    boolean gpu = layout.hasGpus();
    add(
        "spark.plugins",
        gpu ? PLUGIN + ",com.nvidia.spark.SQLPlugin" : PLUGIN,
        gpu
            ? "SymShuffle first, so that it takes its share of a GPU before the RAPIDS Accelerator"
                + " takes the rest; without that accelerator GPUs are not needed: use --gpus 0"
            : "Enables SymShuffle; the plugin sets the shuffle manager itself");
    if (layout.kind() == ClusterKind.LOCAL) {
      add("spark.master", "local[*]", "One process with all cores: all tasks share one heap");
    } else {
      addExecutors(gpu);
    }
    addMemory();
    addJava();
    addPartitions();
    addCleanup();
    if (layout.kind().limitsMemory()) {
      add(
          "spark.shuffle.service.enabled",
          "false",
          "An external shuffle service reads files, and map outputs are in memory");
    }
    if (gpu) {
      addGpu();
    }
    return List.copyOf(settings);
  }

  /**
   * Spark can free the shuffles of a query at its end. That is safe only in servers, which make a
   * new plan for each query; Spark 4.0 can do it only for Spark Connect.
   */
  private void addCleanup() {
    add(
        "spark.cleaner.periodicGC.interval",
        "5min",
        "Frees the map outputs of queries that the program does not refer to anymore; by default"
            + " they stay up to 30 minutes");
    if (SparkVersion.ofThisJar().equals(SparkVersion.of("4.0"))) {
      add(
          "spark.sql.shuffleDependency.fileCleanup.enabled",
          "true",
          "In a server of Spark Connect: " + CLEANUP);
      return;
    }
    for (String server : List.of("connect", "thriftserver")) {
      add(
          "spark.sql.%s.shuffleDependency.fileCleanup.enabled".formatted(server),
          "true",
          "In a %s: %s"
              .formatted(
                  server.equals("connect") ? "server of Spark Connect" : "Thrift server", CLEANUP));
    }
  }

  private void add(String key, String value, String reason) {
    settings.add(new Recommendation(key, value, reason));
  }

  private void addExecutors(boolean gpu) {
    int cores = layout.cores();
    int executors = layout.executors();
    String total = Integer.toString(layout.total());
    if (layout.kind() == ClusterKind.STANDALONE) {
      add(
          "spark.cores.max",
          Integer.toString(layout.total() * cores),
          "All cores of the cluster; divide it by the number of applications that run at once");
    } else {
      add("spark.executor.instances", total, "%d on each machine".formatted(executors));
    }
    add("spark.executor.cores", Integer.toString(cores), reasonForCores(gpu, executors));
  }

  private String reasonForCores(boolean gpu, int executors) {
    if (gpu) {
      return "The machine's cores divided by its GPUs: each executor has one GPU";
    }
    if (executors == 1) {
      return layout.kind().sharesMemory()
          ? "One executor with all cores: all tasks on the machine share one heap"
          : "One pod with all cores of the machine: pods do not read each other's memory";
    }
    return layout.kind().sharesMemory()
        ? "%d executors with at most %d cores each have shorter pauses for garbage"
                .formatted(executors, layout.cores())
            + " collection, and still read each other's map outputs in place"
        : "%d pods on a machine do not read each other's map outputs in place, unless they share a"
                .formatted(executors)
            + " folder in memory (docs/hosts.md); one large pod needs no such folder";
  }

  private void addMemory() {
    boolean local = layout.kind() == ClusterKind.LOCAL;
    add(
        local ? "spark.driver.memory" : "spark.executor.memory",
        ExpertSettings.size(memory.java()),
        "The Java heap, for all but map outputs"
            + (memory.hasLargestJavaHeap()
                ? "; a larger one would pause longer"
                    + (layout.cores() < 2 * Layout.MAX_CORES
                        ? ", and from 32g on has larger pointers"
                        : "")
                : ""));
    if (!local) {
      add(
          "spark.executor.memoryOverhead",
          ExpertSettings.size(memory.overhead()),
          "The symmetric heap, 10 % of the Java heap (at least 384m), "
              + (memory.pinned() + memory.rapids() == 0
                  ? ""
                  : ExpertSettings.size(memory.pinned() + memory.rapids()) + " of pinned memory, ")
              + "and 512m for pages of other executors' heaps"
              + (layout.kind().limitsMemory()
                  ? ": all of it counts as memory of the container"
                  : ". Spark ignores it in a standalone cluster, but the memory is needed there,"
                      + " too"));
    }
    add(
        Settings.HEAP_SIZE.key(),
        ExpertSettings.size(memory.heap()),
        memory.reason()
            + (job.isPresent()
                ? ""
                : "; map outputs take 1.5 to 16 times the bytes of sort shuffle's files, on average"
                    + " 2.5")
            + (layout.kind() == ClusterKind.KUBERNETES
                ? "; mount shared memory of a little more at /dev/shm, as"
                    + " conf/kubernetes-executor-pod.yaml does"
                : ""));
  }

  private void addJava() {
    List<Recommendation> all = ExpertSettings.ofExecutors(layout.cores(), memory.java());
    if (layout.kind() == ClusterKind.LOCAL) {
      add("spark.driver.defaultJavaOptions", all.getFirst().value(), all.getFirst().reason());
    } else {
      settings.addAll(all);
    }
  }

  private void addPartitions() {
    int seen = job.map(JobFacts::maxPartitions).orElse(0);
    // On few GPUs the driver plugin chooses it; on more, Spark's default suits them.
    if (seen == 0 && !layout.hasGpus()) {
      add(
          "spark.sql.shuffle.partitions",
          Integer.toString(
              Math.max(MIN_PARTITIONS, PARTITIONS_PER_CORE * layout.total() * layout.cores())),
          "Three tasks per core, at least 16. Adaptive query execution coalesces small partitions");
    }
    if (seen > MANY_PARTITIONS) {
      add(
          Settings.STAGING_SIZE.key(),
          "4m",
          String.format(
              Locale.ROOT,
              "A shuffle in the log has %,d partitions; a larger buffer makes fewer runs",
              seen));
    }
  }

  private void addGpu() {
    add(
        "spark.executor.resource.gpu.amount",
        "1",
        "Each executor owns one GPU"
            + (layout.kind() == ClusterKind.STANDALONE
                ? "; conf/spark-defaults-standalone-gpu.conf says how a worker offers its GPUs"
                : ""));
    if (layout.kind() == ClusterKind.KUBERNETES) {
      add("spark.executor.resource.gpu.vendor", "nvidia.com", "The name of the pod's resource");
    }
    if (layout.kind().limitsMemory()) {
      add(
          "spark.executor.resource.gpu.discoveryScript",
          "/opt/symshuffle/conf/find-gpus.sh",
          "The path of conf/find-gpus.sh on the executors' machines or in their image");
    }
    add(
        "spark.task.resource.gpu.amount",
        BigDecimal.ONE
            .divide(BigDecimal.valueOf(layout.cores()), 4, RoundingMode.DOWN)
            .stripTrailingZeros()
            .toPlainString(),
        "The tasks on all cores share the executor's GPU");
    settings.addAll(
        ExpertSettings.onGpus(
            gpuPlan.map(GpuPlan::tasks).orElse(0),
            memory.rapids(),
            gpuPlan.map(GpuPlan::partitions).orElse(0)));
    if (!layout.hasDeviceHeaps()) {
      add(
          "spark.rapids.memory.pinnedPool.setCuioDefault",
          "false",
          "With pinned memory that RAPIDS and cuDF share, rows can come out wrong; where tables"
              + " stay on the GPUs, SymShuffle sets this itself");
      add(
          Settings.RAPIDS_MODE.key(),
          "host",
          "Tables go through host memory: in containers, device heaps have been tested without GPUs"
              + " only; docs/kubernetes.md says what they need");
      return;
    }
    if (layout.total() <= Settings.MAX_DEVICE_PES) {
      add(
          Settings.DEVICE_PES.key(),
          Integer.toString(layout.total()),
          "The driver starts the device heaps when this many executors have registered");
    }
    if (gpuPlan.isPresent()) {
      settings.add(gpuPlan.get().setting());
    } else {
      addDeviceHeap();
    }
    add(
        Settings.TRANSFER_PINNED.key(),
        ExpertSettings.size(memory.pinned()),
        "Pinned memory for copies of GPU tables between hosts and to the host heap");
  }

  private void addDeviceHeap() {
    add(
        Settings.DEVICE_HEAP_SIZE.key(),
        Settings.DEVICE_HEAP_SIZE.defaultText(),
        "The fraction of each GPU for map outputs. RAPIDS takes its pool from what is free after"
            + " that, all but 640 MiB: leave spark.rapids.memory.gpu.allocFraction at its default"
            + " of 1, which is a fraction of the free memory and not of the GPU");
  }
}
