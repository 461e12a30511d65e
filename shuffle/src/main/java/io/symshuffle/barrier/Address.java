// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import java.util.List;

/**
 * Where the memory of a PE is. Tasks tell each other through Spark's {@code allGather}.
 *
 * @param pe the PE, which is the task's partition
 * @param token of the folder of the executor's heap; an executor that could not join has its own
 * @param heapPe the PE number of the task's executor, in this folder
 * @param offset of the control block in the window of the executor's heap
 * @param bytes without the control block
 * @param generation a random number, more than 0, which also names the memory in its executor
 * @param host where the executor's block transfer listens
 */
record Address(
    int pe,
    String token,
    int heapPe,
    long offset,
    long bytes,
    long generation,
    String executorId,
    String host,
    int port) {
  private static final String SEPARATOR = "\t";

  String encode() {
    return String.join(
        SEPARATOR,
        List.of(
            token,
            Integer.toString(heapPe),
            Long.toString(offset),
            Long.toString(bytes),
            Long.toString(generation),
            executorId,
            host,
            Integer.toString(port)));
  }

  static Address decode(int pe, String text) {
    String[] words = text.split(SEPARATOR, -1);
    return new Address(
        pe,
        words[0],
        Integer.parseInt(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        Long.parseLong(words[4]),
        words[5],
        words[6],
        Integer.parseInt(words[7]));
  }

  @Override
  public String toString() {
    return "PE %d (executor %s on %s)".formatted(pe, executorId, host);
  }
}
