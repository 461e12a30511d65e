// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

/** What the PEs of a run do together. */
public enum Operation {
  /** Block i of each PE's data becomes block (that PE) of PE i's. */
  ALL_TO_ALL("alltoall") {
    @Override
    public double busFactor(int peCount) {
      return (peCount - 1.0) / peCount;
    }
  },
  /** All PEs get the sums of all PEs' floats. */
  ALL_REDUCE("allreduce") {
    @Override
    public double busFactor(int peCount) {
      return 2 * (peCount - 1.0) / peCount;
    }
  };

  private final String command;

  Operation(String command) {
    this.command = command;
  }

  /** {@return the name of its command and in JSON} */
  public String command() {
    return command;
  }

  /**
   * {@return the bytes that must leave each PE, per byte of its data, as NCCL's tests count them}
   */
  public abstract double busFactor(int peCount);
}
