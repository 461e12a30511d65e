// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

/** Attributes of a device; CUdevice_attribute of cuda.h, CUDA 13.0. */
public enum CudaAttribute {
  /** Number of multiprocessors. */
  MULTIPROCESSORS(16),
  /** The 9 of compute capability 9.0. */
  COMPUTE_CAPABILITY_MAJOR(75),
  /** The 0 of compute capability 9.0. */
  COMPUTE_CAPABILITY_MINOR(76);

  private final int number;

  CudaAttribute(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
