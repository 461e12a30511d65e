// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import java.util.Map;

/** What an application answers. */
public sealed interface Reply {
  /**
   * The application runs and has executors: the first line on the connection.
   *
   * @param token the word that the command line gave it, as proof that it is the right process
   * @param applicationId Spark's id of it
   * @param sparkVersion such as {@code 4.2.0}
   * @param shuffleManager the class that serves its shuffles
   * @param executors how many executors it has
   * @param cores how many tasks run at a time in all
   */
  record Ready(
      String token,
      String applicationId,
      String sparkVersion,
      String shuffleManager,
      int executors,
      int cores)
      implements Reply {}

  /**
   * How far a long request is; any number of these comes before its answer.
   *
   * @param what the name of the work
   * @param done finished pieces
   * @param total all pieces
   */
  record Progress(String what, long done, long total) implements Reply {}

  /**
   * The tables stand.
   *
   * @param rows how many rows each table has
   */
  record Generated(Map<String, Long> rows) implements Reply {}

  /**
   * A query ran.
   *
   * @param seconds from its text to its rows at the driver
   * @param rows how many rows it gave
   * @param columns what its columns are
   * @param figures what Spark's task metrics say of its shuffles
   */
  record Measured(double seconds, long rows, ResultColumns columns, ShuffleFigures figures)
      implements Reply {}

  /**
   * What finished queries have left.
   *
   * @param heapBytes heap memory in use
   * @param files files that no living executor needs
   * @param mappings windows that executors have mapped though their file is gone
   */
  record Leaks(long heapBytes, long files, long mappings) implements Reply {}

  /** Nothing more to say. */
  record Done() implements Reply {}

  /**
   * The request failed; the application goes on.
   *
   * @param message the first line of the failure
   */
  record Failed(String message) implements Reply {}
}
