// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

/** Attributes of a device; CUdevice_attribute of cuda.h, CUDA 13.0. */
public enum CudaAttribute {
  /** Number of multiprocessors. */
  MULTIPROCESSORS(16),
  /** 1 when kernels can read mapped host memory. */
  CAN_MAP_HOST_MEMORY(19),
  /** 1 when device and host share one address space. */
  UNIFIED_ADDRESSING(41),
  /** The 9 of compute capability 9.0. */
  COMPUTE_CAPABILITY_MAJOR(75),
  /** The 0 of compute capability 9.0. */
  COMPUTE_CAPABILITY_MINOR(76),
  /** 1 when kernels can access registered host memory by its host address. */
  REGISTERED_AT_HOST_ADDRESS(91),
  /** Maximum bytes of shared memory that a CTA can request. */
  SHARED_BYTES_PER_CTA(97),
  /** 1 when host memory can be registered. */
  HOST_REGISTER(99),
  /** 1 when the device supports virtual memory management (cuMemMap), which NVSHMEM's heap uses. */
  VIRTUAL_MEMORY_MANAGEMENT(102),
  /** 1 when the device can take part in multicast objects. */
  MULTICAST(132);

  private final int number;

  CudaAttribute(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
