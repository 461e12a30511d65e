// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.List;

/**
 * One stage of an application that ran, all its attempts together.
 *
 * @param wallSeconds from its submission to its end
 * @param taskSeconds run time of all its tasks
 * @param writeSeconds that its tasks spent writing shuffles, according to Spark
 * @param waitSeconds that its tasks waited for blocks
 * @param engineSeconds that RAPIDS spent splitting batches into partitions, and reading shuffles
 *     and building batches from them, according to its metrics; 0 on CPUs
 * @param recordsWritten records written to shuffles
 * @param recordsRead records read from shuffles
 * @param bytesWritten bytes written to shuffles; Spark's own shuffle compresses them
 * @param rawBytes the same rows before compression; 0 if unknown
 */
record StageFacts(
    double wallSeconds,
    double taskSeconds,
    double writeSeconds,
    double waitSeconds,
    double engineSeconds,
    long recordsWritten,
    long recordsRead,
    long bytesWritten,
    long rawBytes) {

  static final StageFacts NONE = new StageFacts(0, 0, 0, 0, 0, 0, 0, 0, 0);

  StageFacts plus(StageFacts o) {
    return new StageFacts(
        wallSeconds + o.wallSeconds,
        taskSeconds + o.taskSeconds,
        writeSeconds + o.writeSeconds,
        waitSeconds + o.waitSeconds,
        engineSeconds + o.engineSeconds,
        recordsWritten + o.recordsWritten,
        recordsRead + o.recordsRead,
        bytesWritten + o.bytesWritten,
        rawBytes + o.rawBytes);
  }

  static StageFacts sum(List<StageFacts> stages) {
    return stages.stream().reduce(NONE, StageFacts::plus);
  }

  /** Returns bytes that the heap must hold; Spark's lz4 compresses rows to about a third. */
  long heapBytes() {
    return rawBytes > 0 ? rawBytes : 3 * bytesWritten;
  }
}
