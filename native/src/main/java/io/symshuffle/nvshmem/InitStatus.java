// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import java.util.Arrays;

/** What nvshmemx_init_status says; nvshmemx_init_status_t, all 3.x. */
enum InitStatus {
  NOT_INITIALIZED(0, "it was not initialised; its own messages on standard error say why"),
  BOOTSTRAPPED(
      1,
      "PEs found each other, but the heap could not be made: look at its messages on standard error"
          + " for a GPU that is not reachable, for want of GPU memory, or for a driver older than"
          + " the library's CUDA"),
  INITIALIZED(2, "it is initialised"),
  SHARED_GPU(
      3, "several PEs share one GPU, by MIG or by assignment: give each executor its own GPU"),
  SHARED_GPU_BY_MPS(4, "several PEs share one GPU through MPS: give each executor its own GPU"),
  UNKNOWN(-1, "this status is not known");

  private final int number;
  private final String sentence;

  InitStatus(int number, String sentence) {
    this.number = number;
    this.sentence = sentence;
  }

  static InitStatus of(int number) {
    return Arrays.stream(values())
        .filter(status -> status.number == number)
        .findFirst()
        .orElse(UNKNOWN);
  }

  String sentence() {
    return sentence;
  }
}
