// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.List;

/**
 * One stage of an application that ran, its attempts together.
 *
 * @param wallSeconds from its submission to its end
 * @param taskSeconds of all its tasks
 * @param cpuSeconds that their threads had a core
 * @param writeSeconds that Spark says its tasks spent on writing shuffles
 * @param waitSeconds that its tasks waited for blocks
 * @param recordsWritten to shuffles
 * @param recordsRead from shuffles
 * @param bytesWritten to shuffles, as written: compressed by Spark's own shuffle
 * @param rawBytes the same rows before compression; 0 if the log does not say
 */
record StageFacts(
    double wallSeconds,
    double taskSeconds,
    double cpuSeconds,
    double writeSeconds,
    double waitSeconds,
    long recordsWritten,
    long recordsRead,
    long bytesWritten,
    long rawBytes) {

  static final StageFacts NONE = new StageFacts(0, 0, 0, 0, 0, 0, 0, 0, 0);

  StageFacts plus(StageFacts o) {
    return new StageFacts(
        wallSeconds + o.wallSeconds,
        taskSeconds + o.taskSeconds,
        cpuSeconds + o.cpuSeconds,
        writeSeconds + o.writeSeconds,
        waitSeconds + o.waitSeconds,
        recordsWritten + o.recordsWritten,
        recordsRead + o.recordsRead,
        bytesWritten + o.bytesWritten,
        rawBytes + o.rawBytes);
  }

  static StageFacts sum(List<StageFacts> stages) {
    return stages.stream().reduce(NONE, StageFacts::plus);
  }

  /** {@return bytes that the heap must hold; Spark's lz4 makes about a third of rows} */
  long heapBytes() {
    return rawBytes > 0 ? rawBytes : 3 * bytesWritten;
  }
}
