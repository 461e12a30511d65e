// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A machine.
 *
 * @param cores logical processors that this process may use
 * @param memoryBytes of the machine; 0 if unknown
 * @param kernel the operating system and its version
 */
public record Machine(String cpu, int cores, long memoryBytes, String kernel) {
  private static final Pattern MODEL = Pattern.compile("(?m)^model name\\s*:\\s*(.+)$");
  private static final Pattern MEMORY = Pattern.compile("(?m)^MemTotal:\\s*(\\d+) kB$");
  private static final Pattern CPUS = Pattern.compile("(?m)^Cpus_allowed_list:\\s*(\\S+)$");

  /** Returns the machine that this process runs on. */
  public static Machine here() {
    return of(text("/proc/cpuinfo"), text("/proc/meminfo"));
  }

  static Machine of(String cpuinfo, String meminfo) {
    return new Machine(
        find(MODEL, cpuinfo).orElse(System.getProperty("os.arch")),
        Runtime.getRuntime().availableProcessors(),
        find(MEMORY, meminfo).map(kib -> Long.parseLong(kib) * 1024).orElse(0L),
        System.getProperty("os.name") + " " + System.getProperty("os.version"));
  }

  /** Returns the numbers of the logical processors that this process may use. */
  public static List<Integer> cpus() {
    return cpus(text("/proc/self/status"));
  }

  static List<Integer> cpus(String status) {
    String list = find(CPUS, status).orElse("0");
    return Arrays.stream(list.split(","))
        .map(range -> range.split("-"))
        .flatMap(
            ends ->
                IntStream.rangeClosed(
                        Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
                    .boxed())
        .toList();
  }

  private static Optional<String> find(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Optional.of(matcher.group(1).strip()) : Optional.empty();
  }

  private static String text(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException e) {
      return "";
    }
  }
}
