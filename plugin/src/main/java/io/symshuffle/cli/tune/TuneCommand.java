// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import io.symshuffle.cli.CliCommand;
import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.ByteSize;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code symshuffle tune}: settings with their reasons, and what a job could gain. */
@Command(
    name = "tune",
    description = {
      "Prints settings for machines like this one, as a spark-defaults file with the reason for"
          + " each line. With the event log of an application that ran on Spark's own shuffle it"
          + " also says how much of that was shuffle and what SymShuffle can take away at most, for"
          + " all of it and for each query. With the report of a run that compared both it also"
          + " says how good those predictions were.",
      ""
    },
    footer = {
      "",
      "To have an event log: --conf spark.eventLog.enabled=true --conf spark.eventLog.dir=FOLDER.",
      "",
      "Exit status: 0 done, 1 the log cannot be read, 2 wrong usage.",
      "",
      "Examples:",
      "  symshuffle tune > spark-defaults.conf",
      "  symshuffle tune --event-log /tmp/spark-events/eventlog_v2_app-20260101000000-0000",
      "  symshuffle tune --event-log /tmp/events --outcome benchmarks/target/demo/demo.json",
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
      names = "--outcome",
      paramLabel = "FILE",
      description =
          "The JSON of 'symshuffle demo' or 'symshuffle bench tpcds', run with event logs on;"
              + " --event-log is the folder of the logs then.")
  private Path outcome;

  @Option(names = "--cores", paramLabel = "N", description = "Cores, if not this machine's.")
  private Integer cores;

  @Option(names = "--memory", paramLabel = "SIZE", description = "Memory, if not this machine's.")
  private String memory;

  @Option(
      names = "--shared-memory",
      paramLabel = "SIZE",
      description = "Free space of /dev/shm, if not this machine's.")
  private String shared;

  @Option(names = "--gpus", paramLabel = "N", description = "GPUs, if not this machine's.")
  private Integer gpus;

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  /** For {@link java.util.ServiceLoader}. */
  public TuneCommand() {}

  @Override
  public Integer call() {
    if ((cores != null && cores < 1) || (gpus != null && gpus < 0)) {
      throw CliException.wrongUsage("--cores must be 1 or more, --gpus 0 or more.");
    }
    if (outcome != null && eventLog == null) {
      throw CliException.wrongUsage(
          "--outcome needs --event-log: it is compared with what the log promises.");
    }
    MachineFacts machine = adjusted(MachineFacts.probe());
    TuneReport report = report(machine);
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
        gpus == null ? here.gpus() : java.util.Collections.nCopies(gpus, "GPU"));
  }

  private static long bytes(String option, String text) {
    try {
      long bytes = ByteSize.parse(text).bytes();
      if (bytes > 0) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw CliException.wrongUsage(
        "%s is '%s'; it must be a byte size, written like 64g.".formatted(option, text));
  }

  private TuneReport report(MachineFacts machine) {
    if (eventLog == null) {
      return TuneReport.of(machine, Optional.empty(), Optional.empty());
    }
    try {
      if (outcome == null) {
        return TuneReport.of(machine, Optional.of(EventLog.read(eventLog)), Optional.empty());
      }
      Outcome measured = Outcome.read(outcome);
      JobFacts sort = EventLog.read(EventLog.find(eventLog, measured.sortId()));
      JobFacts ours = EventLog.read(EventLog.find(eventLog, measured.ourId()));
      return TuneReport.of(
          machine, Optional.of(sort), Optional.of(Evaluation.of(sort, ours, measured)));
    } catch (NoClassDefFoundError e) {
      throw new CliException(
          "Event logs are read by Spark's own classes, and there are none here: start by"
              + " bin/symshuffle, or java -cp 'symshuffle-spark-4.2_2.13-<version>.jar:"
              + "$SPARK_HOME/jars/*' io.symshuffle.cli.Main tune --event-log ...",
          e);
    }
  }
}
