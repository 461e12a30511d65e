// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import java.util.Arrays;

/** Results of nvshmemx_init_status; nvshmemx_init_status_t, all 3.x. */
enum InitStatus {
  NOT_INITIALIZED(0, "it was not initialized; its messages on standard error say why"),
  BOOTSTRAPPED(
      1,
      "the PEs found each other, but the heap could not be created: check its messages on standard"
          + " error for an unreachable GPU, too little GPU memory, or a driver older than the"
          + " library's CUDA"),
  INITIALIZED(2, "it is initialized"),
  SHARED_GPU(
      3, "several PEs share one GPU, by MIG or by assignment: give each executor its own GPU"),
  SHARED_GPU_BY_MPS(4, "several PEs share one GPU through MPS: give each executor its own GPU"),
  UNKNOWN(-1, "unknown status");

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
