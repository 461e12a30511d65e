// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import io.symshuffle.benchmarks.lab.pe.Operation;
import picocli.CommandLine.Command;

/** {@code symshuffle bench allreduce}. */
@Command(
    name = "allreduce",
    description = {
      "Times sums of floats over all PEs, with one process per PE, and compares them with sums of"
          + " the CPU. On GPUs: a kernel that reads all PEs' memory in one step, and NCCL; on shm:"
          + " a loop over shared memory.",
      ""
    },
    footer = {
      "",
      "The bus bandwidth counts 2 (n - 1) / n of the size for n PEs, as NCCL's tests do; 'of link'"
          + " is its share of NVLink's bandwidth in one direction according to NVML. Times are"
          + " device times of the slowest PE.",
      "",
      "Exit status: 0 all data is correct, 1 it is not or a PE failed, 2 could not run.",
      "",
      "Examples:",
      "  symshuffle bench allreduce --pes 2 --backend shm --sizes 4KiB:16MiB",
      "  symshuffle bench allreduce --pes 4 --json allreduce.json"
    })
public final class AllReduceCommand extends CollectiveCommand {
  public AllReduceCommand() {
    super(Operation.ALL_REDUCE);
  }
}
