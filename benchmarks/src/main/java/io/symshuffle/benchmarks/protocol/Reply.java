// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;

/** A reply of an application. */
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "kind")
public sealed interface Reply {
  /**
   * The application runs and has executors: the first reply.
   *
   * @param sparkVersion such as {@code 4.2.0}
   * @param shuffleManager class of its shuffle manager
   * @param cores number of tasks that run at a time
   */
  record Ready(
      String applicationId, String sparkVersion, String shuffleManager, int executors, int cores)
      implements Reply {}

  /**
   * Progress of a long request; sent any number of times before the final reply.
   *
   * @param done finished parts
   * @param total all parts
   */
  record Progress(String what, long done, long total) implements Reply {}

  /** The tables were generated. */
  record Generated(Map<String, Long> rows) implements Reply {}

  /**
   * A query ran.
   *
   * @param seconds from its text to its rows at the driver
   * @param stages metrics of its stages, in the order in which they ended
   */
  record Measured(double seconds, long rows, ResultColumns columns, List<StageFigures> stages)
      implements Reply {}

  /**
   * Counters of the executors since their start, summed over them.
   *
   * @param values seconds and bytes by name
   */
  record Counted(Map<String, Double> values) implements Reply {}

  /**
   * Leaks of finished queries.
   *
   * @param heapBytes heap memory in use
   * @param files number of files that no live executor needs
   * @param mappings number of windows that executors mapped although their file was deleted
   */
  record Leaks(long heapBytes, long files, long mappings) implements Reply {}

  /** The request succeeded without a result. */
  record Done() implements Reply {}

  /**
   * The request failed; the application continues.
   *
   * @param message first line of the failure
   */
  record Failed(String message) implements Reply {}
}
