// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.h"
#include "platform.h"
#include "tuning.h"

// Prefix sums over a long list, with two launches of the same shape. CTA c has the c-th of equal parts of the
// list. The first launch sums each part; in the second, each CTA sums the parts before its own and then scans
// its part from front to back. No CTA waits for another, and the sums are integers, so the result does not
// depend on the order. A list is a `Work`:
//
//     uint64_t value(uint32_t i)                             the value of entry i
//     void put(uint32_t i, uint64_t before, uint64_t value)  called once per entry with the sum before it
namespace symshuffle {

/// Shared memory of a CTA of up to 32 warps.
struct ScanMemory {
  uint64_t of_warp[32];
};

/// The entries of one CTA: [begin, end).
struct ScanPart {
  uint32_t begin;
  uint32_t end;
};

SYM_CONST_FN ScanPart scan_part(uint32_t cta, uint32_t ctas, uint32_t count) {
  return ScanPart{static_cast<uint32_t>(static_cast<uint64_t>(count) * cta / ctas),
                  static_cast<uint32_t>(static_cast<uint64_t>(count) * (cta + 1) / ctas)};
}

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

/// First launch: `sums`, a u64 for each CTA, gets the sum of its part.
template <class Thread, class Work>
SYM_FN void scan_parts(const Thread& t, const Work& work, uint32_t count, uint64_t sums, ScanMemory* memory) {
  const ScanPart part = scan_part(t.cta(), t.ctas(), count);
  uint64_t sum = 0;
  for (uint32_t i = part.begin + t.thread(); i < part.end; i += t.threads()) {
    sum += work.value(i);
  }
  uint64_t total;
  sum_before(t, sum, memory, &total);
  if (t.thread() == 0) {
    store_value<uint64_t>(sums + sizeof(uint64_t) * t.cta(), total);
  }
}

/// Second launch: calls put for every entry with the sum of the entries before it.
template <class Thread, class Work>
SYM_FN void scan_entries(const Thread& t, const Work& work, uint32_t count, uint64_t sums,
                         ScanMemory* memory) {
  const ScanPart part = scan_part(t.cta(), t.ctas(), count);
  uint64_t of_parts = 0;
  for (uint32_t c = t.thread(); c < t.cta(); c += t.threads()) {
    of_parts += load_value<uint64_t>(sums + sizeof(uint64_t) * c);
  }
  uint64_t before;
  sum_before(t, of_parts, memory, &before);
  const uint32_t step = t.threads() * kScanValues;
  for (uint32_t base = part.begin; base < part.end; base += step) {
    const uint32_t first = base + t.thread() * kScanValues;
    uint64_t value[kScanValues];
    uint64_t sum = 0;
    SYM_UNROLL
    for (uint32_t k = 0; k < kScanValues; ++k) {
      value[k] = first + k < part.end ? work.value(first + k) : 0;
      sum += value[k];
    }
    uint64_t total;
    uint64_t here = before + sum_before(t, sum, memory, &total);
    SYM_UNROLL
    for (uint32_t k = 0; k < kScanValues; ++k) {
      if (first + k < part.end) {
        work.put(first + k, here, value[k]);
      }
      here += value[k];
    }
    before += total;
  }
}

}  // namespace symshuffle
