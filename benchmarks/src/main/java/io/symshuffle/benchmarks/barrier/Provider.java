// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import io.symshuffle.barrier.SymmetricMemory;
import java.util.List;
import org.apache.spark.BarrierTaskContext;

/** Whose collectives tasks call, and in which memory. */
public enum Provider {
  /** SymShuffle's in memory of the host, or Spark's. */
  HOST(""),
  /** SymShuffle's in memory of GPUs. */
  GPU(""),
  /** NCCL's, in the same memory. */
  NCCL("NCCL "),
  /** NVSHMEM's, if the memory is in its heap. */
  NVSHMEM("NVSHMEM ");

  private final String prefix;

  Provider(String prefix) {
    this.prefix = prefix;
  }

  /** Returns the collectives that it has. */
  public List<Collective> collectives() {
    return switch (this) {
      case HOST -> List.of(Collective.values());
      case GPU, NCCL ->
          List.of(Collective.ALL_REDUCE, Collective.ALL_GATHER, Collective.ALL_TO_ALL);
      case NVSHMEM -> List.of(Collective.ALL_REDUCE, Collective.ALL_TO_ALL);
    };
  }

  /** Returns the name of one of its collectives in reports. */
  public String label(Collective collective) {
    return prefix + collective.label();
  }

  /**
   * Opens memory of a task; all tasks of the stage do it together.
   *
   * @param meeting small memory of the host
   */
  TaskMemory open(BarrierTaskContext task, SymmetricMemory meeting, long bytes) {
    return switch (this) {
      case HOST -> new HostMemory(SymmetricMemory.open(task, bytes));
      case GPU -> new GpuMemory(task, bytes);
      case NCCL -> new NcclMemory(task, meeting, bytes);
      case NVSHMEM -> new NvshmemMemory(task, meeting, bytes);
    };
  }
}
