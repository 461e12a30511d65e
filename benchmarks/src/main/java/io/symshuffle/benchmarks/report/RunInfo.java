// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import io.symshuffle.benchmarks.protocol.Reply;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a reader must know to weigh the numbers of a run.
 *
 * @param started when
 * @param commandLine how to do it again
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

  /** For a run that starts now. */
  public static RunInfo now(String master, Reply.Ready application) {
    return new RunInfo(
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        Optional.ofNullable(System.getProperty(COMMAND_LINE)).orElse(""),
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
