// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.google.errorprone.annotations.FormatMethod;
import java.util.List;
import java.util.Locale;

/**
 * The results of a run.
 *
 * @param backend shm, nvshmem or cuda
 * @param devices name of each PE's device
 * @param links description of the NVLinks of each PE's GPU
 * @param linkBytesPerSecond bandwidth of a GPU's links in one direction; 0 when unknown
 * @param seed of the random content
 * @param skipped methods that could not run, with the reasons
 */
@JsonPropertyOrder({"backend", "pes"})
record Report(
    String backend,
    List<String> devices,
    List<String> links,
    long linkBytesPerSecond,
    long seed,
    List<String> skipped,
    List<Measurement> measurements) {

  @JsonProperty
  int pes() {
    return devices.size();
  }

  boolean isRight() {
    return !measurements.isEmpty() && measurements.stream().allMatch(Measurement::right);
  }

  /** Formats a table, ordered by size. */
  String table() {
    StringBuilder text = new StringBuilder();
    text.append(row("size", "method", "us", "alg GB/s", "bus GB/s", "of link", "CTAs", "contents"));
    for (long bytes : measurements.stream().map(Measurement::bytes).distinct().toList()) {
      for (Measurement m : measurements) {
        if (m.bytes() == bytes) {
          text.append(
              row(
                  SizeRange.format(bytes),
                  m.method(),
                  number("%.1f", m.slowest()),
                  number("%.1f", m.algorithmGBps()),
                  number("%.1f", m.busGBps()),
                  linkBytesPerSecond == 0
                      ? "-"
                      : number("%.1f %%", 1e11 * m.busGBps() / linkBytesPerSecond),
                  m.ctas() == 0 ? "-" : Integer.toString(m.ctas()),
                  m.right() ? "right" : "WRONG"));
        }
      }
    }
    return text.toString();
  }

  private static String row(String... v) {
    return "%-10s  %-26s  %10s  %9s  %9s  %8s  %5s  %s%n"
        .formatted(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
  }

  @FormatMethod
  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
