// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import java.util.Map;

/**
 * Tables of the RAPIDS Accelerator in device heaps that SymShuffle chooses, with RAPIDS' memory as
 * RAPIDS chooses it.
 */
class GpuDefaultTablesIT extends TablesOnGpus {
  GpuDefaultTablesIT() {
    super(Map.of());
  }
}
