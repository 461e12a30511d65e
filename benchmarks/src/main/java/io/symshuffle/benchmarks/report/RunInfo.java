// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import io.symshuffle.benchmarks.protocol.Reply;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a reader must know to weigh the numbers of a run.
 *
 * @param started when
 * @param commandLine how to do it again
 * @param applicationIds Spark's ids of the applications, in the order of the managers, by which
 *     their event logs are found
 * @param master where Spark ran
 * @param executors how many in each application
 * @param cores how many tasks at a time
 * @param sparkVersion Spark's
 * @param symshuffleVersion ours, with the commit where it is known
 * @param javaVersion of drivers and, on this machine, executors
 * @param machine this machine
 */
public record RunInfo(
    String started,
    String commandLine,
    List<String> applicationIds,
    String master,
    int executors,
    int cores,
    String sparkVersion,
    String symshuffleVersion,
    String javaVersion,
    Machine machine) {
  /** What {@code bin/symshuffle} says of the tree: version and commit. */
  private static final String VERSION = "symshuffle.version";

  private static final String COMMAND_LINE = "symshuffle.command";

  /** Copies. */
  public RunInfo {
    applicationIds = List.copyOf(applicationIds);
  }

  /**
   * For a run that starts now.
   *
   * @param master where Spark runs
   * @param applications what each application said of itself, at least one
   */
  public static RunInfo now(String master, List<Reply.Ready> applications) {
    Reply.Ready application = applications.getFirst();
    return new RunInfo(
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        Optional.ofNullable(System.getProperty(COMMAND_LINE)).orElse(""),
        applications.stream().map(Reply.Ready::applicationId).toList(),
        master,
        application.executors(),
        application.cores(),
        application.sparkVersion(),
        Optional.ofNullable(System.getProperty(VERSION)).orElse("unknown"),
        Runtime.version() + ", " + System.getProperty("java.vendor"),
        Machine.here());
  }

  /** The same as names and values, for people. */
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Machine", machine.cpu());
    facts.put("Cores, memory", machine.cores() + ", " + Figures.bytes(machine.memoryBytes()));
    facts.put("Kernel", machine.kernel());
    facts.put("Java", javaVersion);
    facts.put("Spark", sparkVersion);
    facts.put("SymShuffle", symshuffleVersion);
    facts.put("Master", master);
    facts.put("Executors, tasks at a time", executors + ", " + cores);
    facts.put("Started", started);
    facts.put("Command", commandLine);
    return facts;
  }
}
