// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bulk_ring.h"
#include "layout.h"
#include "lab_tuning.h"

namespace symshuffle {

/// Shared memory of a CTA of pull_tma.
struct alignas(128) BulkMemory {
  unsigned char stages[kTmaStages][kTmaStageBytes];
  uint64_t barriers[kTmaStages];
  BulkPiece pieces[kTmaStages];
};

inline constexpr uint32_t kTmaTileUnits = kTmaStageBytes / kUnitBytes;
static_assert(kTmaStageBytes % kUnitBytes == 0);

}  // namespace symshuffle
