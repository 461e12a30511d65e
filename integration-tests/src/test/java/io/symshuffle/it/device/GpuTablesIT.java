// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

/** Tables of the RAPIDS Accelerator in device heaps of NVSHMEM memory. */
class GpuTablesIT extends TablesOnGpus {
  GpuTablesIT() {
    super(smallPool("nvshmem"));
  }
}
