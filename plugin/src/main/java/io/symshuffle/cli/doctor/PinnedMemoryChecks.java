// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.heap.host.MemoryLimits;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Whether executors can pin the memory through which they copy GPU tables. */
final class PinnedMemoryChecks {
  private static final String JAVA_HEAP = "spark.executor.memory";
  private static final String OVERHEAD = "spark.executor.memoryOverhead";
  private static final ByteSize DEFAULT_JAVA_HEAP = ByteSize.parse("1g");

  private static final KnownProblem NOT_PINNED = KnownProblem.named("pinned-memory-refused");

  private static final KnownProblem NO_ROOM = KnownProblem.named("pinned-memory-scarce");

  static final List<Check> ALL =
      List.of(
          new Check(
              "pinned memory", List.of(NOT_PINNED, NO_ROOM), PinnedMemoryChecks::pinnedMemory));

  private PinnedMemoryChecks() {}

  private static List<Finding> pinnedMemory(Host host) {
    long pinned = ConfigReader.valueOf(host.settings(), Settings.TRANSFER_PINNED).bytes();
    if (host.gpus().isEmpty() || pinned == 0) {
      return List.of(
          Finding.skip(pinned == 0 ? Settings.TRANSFER_PINNED.key() + " is 0" : "No GPU"));
    }
    List<Finding> findings = new ArrayList<>();
    String failure = host.probe().gpus().pinFailure();
    if (!failure.isEmpty()) {
      findings.add(Finding.warn(NOT_PINNED, failure + locked(host)));
    }
    OptionalLong javaHeap = bytes(host.setting(JAVA_HEAP, DEFAULT_JAVA_HEAP.toString()));
    if (javaHeap.isPresent()) {
      long rapids = bytes(host.setting(ExpertSettings.PINNED_POOL, "0")).orElse(0);
      findings.addAll(room(host, javaHeap.getAsLong(), pinned + rapids));
    }
    return Finding.orOk(
        findings, "Executors may pin %s for copies of GPU tables".formatted(ByteSize.text(pinned)));
  }

  private static String locked(Host host) {
    return host.lines("proc/self/limits").stream()
        .filter(line -> line.startsWith("Max locked memory"))
        .map(line -> "; " + line.replaceAll(" +", " ").trim())
        .findFirst()
        .orElse("");
  }

  /** Compares what an executor needs with what its container and its settings give it. */
  private static List<Finding> room(Host host, long javaHeap, long pinned) {
    List<Finding> findings = new ArrayList<>();
    long heap = host.heapBytes().orElse(0);
    long jvm = MemoryLimits.jvmBytes(javaHeap);
    OptionalLong container = host.probe().memory().cgroupBytes();
    if (container.isPresent() && jvm + heap + pinned > container.getAsLong()) {
      findings.add(
          Finding.warn(
              NO_ROOM,
              "An executor needs %s, %s of it pinned, but the cgroup limit is %s"
                  .formatted(
                      ByteSize.text(jvm + heap + pinned),
                      ByteSize.text(pinned),
                      ByteSize.text(container.getAsLong()))));
    }
    OptionalLong overhead = bytes(host.setting(OVERHEAD, ""));
    long needed = jvm - javaHeap + heap + pinned;
    if (overhead.isPresent() && needed > overhead.getAsLong()) {
      findings.add(
          Finding.warn(
              NO_ROOM,
              "An executor needs %s besides its Java heap, %s of it pinned, but %s is %s"
                  .formatted(
                      ByteSize.text(needed),
                      ByteSize.text(pinned),
                      OVERHEAD,
                      ByteSize.text(overhead.getAsLong()))));
    }
    return findings;
  }

  /** A size of Spark's, whose default unit is MiB; empty if it is not set or invalid. */
  private static OptionalLong bytes(String text) {
    try {
      return OptionalLong.of(ByteSize.parse(text.matches("\\d+") ? text + "m" : text).bytes());
    } catch (IllegalArgumentException e) {
      return OptionalLong.empty(); // Spark refuses invalid ones
    }
  }
}
