// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import io.symshuffle.cli.CliCommand;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.JsonOutput;
import io.symshuffle.plugin.config.ByteSize;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle tune}: settings with their reasons, and how much a job could gain. */
@Command(
    name = "tune",
    description = {
      "Prints recommended settings for a cluster, with the arithmetic of its memory.",
      "The output is a spark-defaults file with the reason for each setting. With the event log of"
          + " an application that ran on Spark's own shuffle, it also estimates how much time"
          + " SymShuffle would save, in total and for each query, and names what else costs time,"
          + " such as small input files, spills and garbage collection.",
      ""
    },
    footer = {
      "",
      "To write an event log, set spark.eventLog.enabled=true and",
      "spark.eventLog.dir=FOLDER.",
      "",
      "Exit status: 0 success, 1 the machines are too small for SymShuffle, 2 could not run (a"
          + " wrong option, or the log cannot be read).",
      "",
      "Examples:",
      "  symshuffle tune > spark-defaults.conf",
      "  symshuffle tune --cluster kubernetes --nodes 40 --cores 32 --memory 256g",
      "  symshuffle tune --nodes 8 --network 10gbit --event-log app-20260101000000-0000",
      "  symshuffle tune --cluster yarn --cores 32 --memory 128g --pod-memory 28g",
      "  symshuffle tune --cluster standalone --gpus 4 --cores 64 --memory 512g",
      "  symshuffle tune --gpus 1 --gpu-memory 24g --cores 16 --memory 64g",
      "  symshuffle tune --event-log /tmp/spark-events/app-20260101000000-0000"
    })
public final class TuneCommand implements CliCommand {
  private static final int MAX_NODES = 100_000;
  private static final int MAX_GPUS = 64;
  private static final long MIN_MEMORY = 1L << 30;
  private static final long MIN_SHARED_MEMORY = 256L << 20;
  private static final long MIN_POD_MEMORY = 2L << 30;

  @Spec private CommandSpec spec;

  @Option(
      names = "--cluster",
      paramLabel = "KIND",
      defaultValue = "standalone",
      description =
          "Where executors run: local, standalone, yarn or kubernetes; default ${DEFAULT-VALUE}.")
  private ClusterKind cluster;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of machines; default ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--network",
      paramLabel = "RATE",
      converter = NetworkRate.Converter.class,
      description =
          "With --nodes: rate of the network of a machine, such as 10gbit or 500mbit. Tells whether"
              + " shuffles wait for it.")
  private NetworkRate network;

  @Option(
      names = "--event-log",
      paramLabel = "PATH",
      description =
          "The event log of an application: a file, compressed by Spark or not, or the folder"
              + " eventlog_v2_* of a rolling log.")
  private String eventLog;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description = "Number of cores of a machine; default: this machine's.")
  private Integer cores;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "Memory of a machine, such as 64g; default: this machine's.")
  private ByteSize memory;

  @Option(
      names = "--pod-memory",
      paramLabel = "SIZE",
      description =
          "Memory of a pod or of a YARN container; default: one pod on each machine, or one"
              + " container for 16 cores.")
  private ByteSize pod;

  @Option(
      names = "--shared-memory",
      paramLabel = "SIZE",
      description =
          "Free space in /dev/shm of a machine, such as 32g; default: this machine's, or, with"
              + " --memory, half of that, which is Linux's default. No limit with --cluster"
              + " kubernetes, where pods mount their own.")
  private ByteSize shared;

  @Option(
      names = "--gpus",
      paramLabel = "N",
      description =
          "Number of GPUs of a machine; default: this machine's, or, with --memory, none.")
  private Integer gpus;

  @Option(
      names = "--gpu-memory",
      paramLabel = "SIZE",
      description =
          "Memory of each GPU as nvidia-smi shows it, such as 22g for an L4 of 24 GB; default: this"
              + " machine's.")
  private ByteSize gpuMemory;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      arity = "0..1",
      fallbackValue = JsonOutput.STANDARD_OUTPUT,
      description = "Print JSON, or write it to this file.")
  private Path json;

  @Override
  public Integer call() {
    JsonOutput.check(json);
    check();
    MachineFacts here = MachineFacts.probe(gpus == null && memory == null);
    checkThatMemoryIsKnown(here);
    MachineFacts machine = adjusted(here);
    check(machine);
    Layout layout =
        Layout.of(
            cluster,
            nodes,
            machine,
            pod == null ? OptionalLong.empty() : OptionalLong.of(pod.bytes()));
    TuneReport report = TuneReport.of(layout, Optional.ofNullable(network), job());
    JsonOutput.write(spec.commandLine().getOut(), json, report::text, report::json);
    long left = report.memory().left();
    if (left < 0) {
      throw CliException.problem(
          "The machine is too small: the system and the executors need %s more than its %s of memory."
              .formatted(ByteSize.text(-left), ByteSize.text(machine.memoryBytes())));
    }
    return 0;
  }

  private void check(MachineFacts machine) {
    if (pod != null && pod.bytes() > machine.memoryForExecutors()) {
      throw CliException.wrongUsage(
          "--pod-memory is %s, but a machine with %s of memory leaves %s for pods or containers."
              .formatted(
                  pod,
                  ByteSize.text(machine.memoryBytes()),
                  ByteSize.text(machine.memoryForExecutors())));
    }
    if (gpuMemory != null && machine.gpus().isEmpty()) {
      throw CliException.wrongUsage(
          "--gpu-memory is for machines with GPUs: give their number with --gpus N.");
    }
    if (cluster != ClusterKind.LOCAL && machine.gpus().size() > machine.cores()) {
      throw CliException.wrongUsage(
          "A machine with %s and %s has no core for each executor, since each GPU has its own executor: use --gpus %d."
              .formatted(
                  Amounts.count(machine.gpus().size(), "GPU"),
                  Amounts.count(machine.cores(), "core"),
                  machine.cores()));
    }
  }

  private void check() {
    CliException.checkAtLeast1("--cores", cores);
    CliException.checkRange("--nodes", nodes, 1, MAX_NODES);
    if (nodes > 1 && cluster == ClusterKind.LOCAL) {
      throw CliException.wrongUsage(
          "--nodes is %d, but --cluster local is one process on one machine.".formatted(nodes));
    }
    if (network != null && nodes == 1) {
      throw CliException.wrongUsage(
          "--network is for several machines: give their number with --nodes N.");
    }
    CliException.checkRange("--gpus", gpus, 0, MAX_GPUS);
    if (gpuMemory != null
        && (gpuMemory.bytes() < GpuPlan.MIN_BYTES || gpuMemory.bytes() > GpuPlan.MAX_BYTES)) {
      throw CliException.wrongUsage(
          "--gpu-memory is %s; it must be from 8g to 1t: with less, RAPIDS has no room for a task beside the device heap."
              .formatted(gpuMemory));
    }
    if (memory != null && memory.bytes() < MIN_MEMORY) {
      throw CliException.wrongUsage(
          "--memory is %s; a machine needs at least 1g.".formatted(memory));
    }
    if (shared != null && shared.bytes() < MIN_SHARED_MEMORY) {
      throw CliException.wrongUsage(
          "--shared-memory is %s, but SymShuffle needs at least 256m there, and better 30 %% of the machine's memory: enlarge /dev/shm (docker run --shm-size=..., mount -o remount,size=... /dev/shm), and give its new size."
              .formatted(shared));
    }
    if (pod != null && !cluster.limitsMemory()) {
      throw CliException.wrongUsage(
          "--pod-memory is for --cluster kubernetes and yarn; executors of other clusters have no"
              + " limit.");
    }
    if (pod != null && pod.bytes() < MIN_POD_MEMORY) {
      throw CliException.wrongUsage(
          "--pod-memory is %s; an executor needs at least 2g: 1g of Java heap, 384m for the rest of the JVM and 512m for pages of other heaps."
              .formatted(pod));
    }
  }

  /** This machine's memory says nothing about a machine with more cores. */
  private void checkThatMemoryIsKnown(MachineFacts here) {
    if (memory == null && cores != null && cores > here.cores()) {
      throw CliException.wrongUsage(
          "--cores is %d, but this machine has %d: give the --memory of the other machine, too."
              .formatted(cores, here.cores()));
    }
  }

  private MachineFacts adjusted(MachineFacts here) {
    long sharedBytes =
        cluster == ClusterKind.KUBERNETES
            ? Long.MAX_VALUE
            : memory == null ? here.sharedBytes() : memory.bytes() / 2;
    return new MachineFacts(
        cores == null ? here.cores() : cores,
        memory == null ? here.memoryBytes() : memory.bytes(),
        shared == null ? sharedBytes : shared.bytes(),
        gpus == null
            ? memory == null ? here.gpus() : List.of()
            : Collections.nCopies(gpus, MachineFacts.UNNAMED),
        gpuMemory != null
            ? gpuMemory.bytes()
            : gpus == null && memory == null ? here.gpuBytes() : 0);
  }

  private Optional<JobFacts> job() {
    if (eventLog == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(EventLog.read(eventLog));
    } catch (NoClassDefFoundError e) {
      throw new CliException(
          "Reading event logs requires Spark's jars on the class path. Use bin/symshuffle, or"
              + " java -cp 'symshuffle-spark-<Spark>_2.13-<version>.jar:$SPARK_HOME/jars/*'"
              + " io.symshuffle.cli.Main tune --event-log ...",
          e);
    }
  }
}
