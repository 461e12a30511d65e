// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import org.apache.spark.Partitioner;

/** The partitions of a shuffle of {@link FakeEngine}'s tables, whose keys are their numbers. */
public final class TablePartitions extends Partitioner {
  private static final long serialVersionUID = 1L;

  private final int number;

  /** Creates a number of partitions. */
  public TablePartitions(int number) {
    this.number = number;
  }

  @Override
  public int numPartitions() {
    return number;
  }

  @Override
  public int getPartition(Object key) {
    return (Integer) key;
  }
}
