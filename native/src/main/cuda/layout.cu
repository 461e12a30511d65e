// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"

#include "bulk_memory.h"
#include "tuning.h"

namespace symshuffle {

constexpr LayoutTable make_layout_table() {
  LayoutTable table{};
  table.magic = kLayoutMagic;
  table.version = kLayoutVersion;
  table.unit_bytes = kUnitBytes;
  table.cta_threads = kCtaThreads;
  table.tma_cta_threads = kTmaCtaThreads;
  table.tma_shared_bytes = sizeof(BulkMemory);
  table.tma_tile_units = kTmaTileUnits;
  table.struct_count = kStructCount;
  for (uint32_t i = 0; i < kStructCount; ++i) {
    table.struct_sizes[i] = kStructSizes[i];
  }
  return table;
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// What the host reads and compares when it loads the module.
extern "C" __constant__ const symshuffle::LayoutTable symshuffle_layout = symshuffle::make_layout_table();
#endif
