// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.plugin.config.ByteSize;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The circumstances of a run, which readers of its numbers need to know.
 *
 * @param applicationIds Spark's IDs of the applications, in the order of their starts; their event
 *     logs have these names
 * @param cores tasks at a time per application
 * @param symshuffleVersion version of SymShuffle, with the commit if known
 * @param javaVersion of drivers and, on this machine, executors
 * @param settings Spark settings of all applications on which their speed depends, by key
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
    Machine machine,
    Map<String, String> settings) {
  /** System property, set by {@code bin/symshuffle}: version and commit of the tree. */
  private static final String VERSION = "symshuffle.version";

  private static final String COMMAND_LINE = "symshuffle.command";

  public RunInfo {
    applicationIds = List.copyOf(applicationIds);
    settings = Collections.unmodifiableMap(new TreeMap<>(settings));
  }

  /**
   * Returns the circumstances of a run that starts now.
   *
   * @param application what the first application reported
   * @param settings those that all applications have
   */
  public static RunInfo now(String master, Reply.Ready application, Map<String, String> settings) {
    return new RunInfo(
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        System.getProperty(COMMAND_LINE, ""),
        List.of(application.applicationId()),
        master,
        application.executors(),
        application.cores(),
        application.sparkVersion(),
        System.getProperty(VERSION, "unknown"),
        Runtime.version() + ", " + System.getProperty("java.vendor"),
        Machine.here(),
        settings);
  }

  /** Returns the same circumstances with another application. */
  public RunInfo with(String applicationId) {
    List<String> ids = new ArrayList<>(applicationIds);
    ids.add(applicationId);
    return new RunInfo(
        started,
        commandLine,
        ids,
        master,
        executors,
        cores,
        sparkVersion,
        symshuffleVersion,
        javaVersion,
        machine,
        settings);
  }

  /** Returns the circumstances as names and values for readers. */
  public Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Machine", machine.cpu());
    facts.put("Cores, memory", machine.cores() + ", " + ByteSize.text(machine.memoryBytes()));
    facts.put("Kernel", machine.kernel());
    facts.put("Java", javaVersion);
    facts.put("Spark", sparkVersion);
    facts.put("SymShuffle", symshuffleVersion);
    facts.put("Master", master);
    facts.put("Executors, tasks at a time", executors + ", " + cores);
    facts.put(
        "Settings",
        settings.entrySet().stream()
            .map(setting -> setting.getKey() + "=" + setting.getValue())
            .collect(Collectors.joining(", ")));
    facts.put("Started", started);
    facts.put("Command", commandLine);
    return facts;
  }
}
