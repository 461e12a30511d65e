// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.h"
#include "platform.h"
#include "tuning.h"

// Prefix sums over the lanes of a warp and the threads of a CTA.
namespace symshuffle {

/// Shared memory of a CTA of up to 32 warps.
struct ScanMemory {
  uint64_t of_warp[32];
};

/// The sum of `value` over the lanes of the warp up to and including this one. Called by all lanes.
template <class Thread>
SYM_FN uint64_t sum_through(const Thread& t, uint64_t value) {
  uint64_t through = value;
  for (uint32_t distance = 1; distance < Thread::kLanes; distance *= 2) {
    const uint64_t lower = t.from_lower_lane(through, distance);
    through += t.lane() >= distance ? lower : 0;
  }
  return through;
}

/// The sum of `value` over the threads of the CTA before this one; `total`: over all of them. Called by all.
template <class Thread>
SYM_FN uint64_t sum_before(const Thread& t, uint64_t value, ScanMemory* memory, uint64_t* total) {
  const uint64_t through = sum_through(t, value);
  const uint32_t warp = t.thread() / Thread::kLanes;
  if (t.lane() == Thread::kLanes - 1) {
    memory->of_warp[warp] = through;
  }
  t.sync_cta();
  uint64_t before = 0;
  uint64_t all = 0;
  for (uint32_t w = 0; w < t.threads() / Thread::kLanes; ++w) {
    const uint64_t sum = memory->of_warp[w];
    before += w < warp ? sum : 0;
    all += sum;
  }
  t.sync_cta();
  *total = all;
  return before + through - value;
}

}  // namespace symshuffle
