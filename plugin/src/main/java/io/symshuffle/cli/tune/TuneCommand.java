// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import io.symshuffle.cli.CliCommand;
import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.ByteSize;
import java.io.PrintWriter;
import java.util.Collections;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle tune}: settings with their reasons, and how much a job could gain. */
@Command(
    name = "tune",
    description = {
      "Prints recommended settings for machines like this one.",
      "The output is a spark-defaults file with the reason for each setting. With the event log of"
          + " an application that ran on Spark's own shuffle, it also estimates how much time"
          + " SymShuffle would save, in total and for each query.",
      ""
    },
    footer = {
      "",
      "To write an event log, set spark.eventLog.enabled=true and spark.eventLog.dir=FOLDER.",
      "",
      "Exit status: 0 success, 1 the log cannot be read, 2 wrong usage.",
      "",
      "Examples:",
      "  symshuffle tune > spark-defaults.conf",
      "  symshuffle tune --event-log /tmp/spark-events/app-20260101000000-0000",
      "  symshuffle tune --cores 32 --memory 256g --shared-memory 128g"
    })
public final class TuneCommand implements CliCommand {
  @Spec private CommandSpec spec;

  @Option(
      names = "--event-log",
      paramLabel = "PATH",
      description = "The event log of an application: a file, or the folder of a rolling log.")
  private String eventLog;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description = "Number of cores; default: this machine's.")
  private Integer cores;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "Memory, such as 64g; default: this machine's.")
  private String memory;

  @Option(
      names = "--shared-memory",
      paramLabel = "SIZE",
      description = "Free space in /dev/shm, such as 32g; default: this machine's.")
  private String shared;

  @Option(
      names = "--gpus",
      paramLabel = "N",
      description = "Number of GPUs; default: this machine's.")
  private Integer gpus;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /** For {@link java.util.ServiceLoader}. */
  public TuneCommand() {}

  @Override
  public Integer call() {
    if ((cores != null && cores < 1) || (gpus != null && gpus < 0)) {
      throw CliException.wrongUsage("--cores must be at least 1, --gpus at least 0.");
    }
    TuneReport report = TuneReport.of(adjusted(MachineFacts.probe()), job());
    PrintWriter out = spec.commandLine().getOut();
    out.print(json ? report.json() : report.text());
    out.flush();
    return 0;
  }

  private MachineFacts adjusted(MachineFacts here) {
    return new MachineFacts(
        cores == null ? here.cores() : cores,
        memory == null ? here.memoryBytes() : bytes("--memory", memory),
        shared == null ? here.sharedBytes() : bytes("--shared-memory", shared),
        gpus == null ? here.gpus() : Collections.nCopies(gpus, "GPU"));
  }

  private static long bytes(String option, String text) {
    try {
      long bytes = ByteSize.parse(text).bytes();
      if (bytes > 0) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      // Reported below.
    }
    throw CliException.wrongUsage(
        "%s is '%s'; it must be a byte size such as 64g.".formatted(option, text));
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
