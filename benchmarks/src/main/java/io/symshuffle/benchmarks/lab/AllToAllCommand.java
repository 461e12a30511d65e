// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import io.symshuffle.benchmarks.lab.pe.Operation;
import picocli.CommandLine.Command;

/** {@code symshuffle bench alltoall}. */
@Command(
    name = "alltoall",
    description = {
      "Times all-to-alls with one process per PE and checks the received data. On GPUs:"
          + " SymShuffle's kernels, copy engines, NVSHMEM and NCCL; on shm: copies through shared"
          + " memory.",
      ""
    },
    footer = {
      "",
      "The bus bandwidth counts the bytes that leave each PE, without its own block; 'of link' is"
          + " its share of NVLink's bandwidth in one direction according to NVML. Times are device"
          + " times of the slowest PE.",
      "",
      "Exit status: 0 all data is correct, 1 it is not or a PE failed, 2 could not run.",
      "",
      "Examples:",
      "  symshuffle bench alltoall --pes 2 --backend shm --sizes 4KiB:16MiB",
      "  symshuffle bench alltoall --pes 4 --json alltoall.json"
    })
public final class AllToAllCommand extends CollectiveCommand {
  public AllToAllCommand() {
    super(Operation.ALL_TO_ALL);
  }
}
