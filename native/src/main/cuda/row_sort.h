// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "platform.h"
#include "row_records.h"
#include "scan.h"
#include "transfer.h"

// Step 2: sorts items by partition with a stable radix sort, lowest digit first. Counters for all partitions
// would need memory for partitions times tiles, with 100,000 partitions more than the records; so a digit has
// at most 8 bits, whose counters fit in shared memory for each warp, and a pass moves 8 bytes per record. One
// partition takes no pass, up to 256 one, up to 65,536 two, 2^24 three. The kernels of a pass are
//
//     row_count          every tile (tile_records consecutive items) counts its items by digit
//     row_count_parts    the prefix sum over counts[digit][tile], in this order: the start of the items
//     row_count_entries  of a tile's digit
//     row_scatter        every tile copies its items there
//
// One warp processes a tile in order, so equal digits keep their order. The host makes as many tiles as there
// are warps on the GPU, for any number of records.
namespace symshuffle {

struct RowCounters {
  uint32_t of_digit[1U << kMaxRowDigitBits];
};

/// Visits the items of a tile in order: visit(item, place), where place is the digit's counter, which each
/// item increments. Called by a whole warp.
template <class Thread, class Visit>
SYM_FN void for_each_ranked(const Thread& t, const RowArguments& a, uint32_t tile, RowCounters* counters,
                            Visit visit) {
  constexpr uint32_t kLanes = Thread::kLanes;
  constexpr uint32_t kNoDigit = 0xffffffffU;
  const uint32_t digits = 1U << a.digit_bits;
  const uint32_t below_me = (1U << t.lane()) - 1;
  const uint32_t begin = tile * a.tile_records;
  const uint32_t end = smaller(a.records, begin + a.tile_records);
  for (uint32_t base = begin; base < end; base += kRowItems * kLanes) {
    uint64_t item[kRowItems];
    SYM_UNROLL
    for (uint32_t k = 0; k < kRowItems; ++k) {
      const uint32_t i = base + k * kLanes + t.lane();
      item[k] = i < end ? load_item(a.items, i) : 0;
    }
    SYM_UNROLL
    for (uint32_t k = 0; k < kRowItems; ++k) {
      const bool there = base + k * kLanes + t.lane() < end;
      const uint32_t digit = there ? partition_of(item[k]) >> a.digit_shift & (digits - 1) : kNoDigit;
      const uint32_t same = t.same_value(digit);
      const uint32_t rank = count_bits(same & below_me);
      const uint32_t place = there ? counters->of_digit[digit] + rank : 0;
      t.sync_warp();
      if (there && rank == 0) {
        counters->of_digit[digit] += count_bits(same);
      }
      t.sync_warp();
      if (there) {
        visit(item[k], place);
      }
    }
  }
}

/// Shared memory of a CTA of row_count and row_scatter.
struct RowSortMemory {
  RowCounters of_warp[kMaxRowWarps];
  uint32_t stopped;
};

/// Counts the items of each tile by their digit.
template <class Thread>
SYM_FN void row_count(const Thread& t, const RowArguments& a, RowSortMemory* memory) {
  const Reporter reporter{a.status, a.pe};
  if (!row_step_may_start(t, a, reporter, &memory->stopped)) {
    return;
  }
  RowCounters* counters = &memory->of_warp[t.thread() / Thread::kLanes];
  for (uint32_t tile = warp_of(t); tile < a.tile_count; tile += warps_of(t)) {
    for (uint32_t d = t.lane(); d < 1U << a.digit_bits; d += Thread::kLanes) {
      counters->of_digit[d] = 0;
    }
    t.sync_warp();
    for_each_ranked(t, a, tile, counters, [](uint64_t, uint32_t) {});
    for (uint32_t d = t.lane(); d < 1U << a.digit_bits; d += Thread::kLanes) {
      store_u32(a.counts, static_cast<uint64_t>(d) * a.tile_count + tile, counters->of_digit[d]);
    }
    t.sync_warp();
  }
}

/// Turns counts into places, in place.
struct RowCounts {
  uint64_t counts;

  SYM_FN uint64_t value(uint32_t i) const { return load_u32(counts, i); }
  SYM_FN void put(uint32_t i, uint64_t before, uint64_t) const {
    store_u32(counts, i, static_cast<uint32_t>(before));
  }
};

struct RowScanMemory {
  ScanMemory scan;
  uint32_t stopped;
};

template <class Thread>
SYM_FN void row_count_parts(const Thread& t, const RowArguments& a, RowScanMemory* memory) {
  const Reporter reporter{a.status, a.pe};
  if (row_step_may_start(t, a, reporter, &memory->stopped)) {
    scan_parts(t, RowCounts{a.counts}, a.tile_count << a.digit_bits, a.sums, &memory->scan);
  }
}

template <class Thread>
SYM_FN void row_count_entries(const Thread& t, const RowArguments& a, RowScanMemory* memory) {
  const Reporter reporter{a.status, a.pe};
  if (row_step_may_start(t, a, reporter, &memory->stopped)) {
    scan_entries(t, RowCounts{a.counts}, a.tile_count << a.digit_bits, a.sums, &memory->scan);
  }
}

/// Copies every item to its place in the order of this digit.
template <class Thread>
SYM_FN void row_scatter(const Thread& t, const RowArguments& a, RowSortMemory* memory) {
  const Reporter reporter{a.status, a.pe};
  if (!row_step_may_start(t, a, reporter, &memory->stopped)) {
    return;
  }
  RowCounters* counters = &memory->of_warp[t.thread() / Thread::kLanes];
  for (uint32_t tile = warp_of(t); tile < a.tile_count; tile += warps_of(t)) {
    for (uint32_t d = t.lane(); d < 1U << a.digit_bits; d += Thread::kLanes) {
      counters->of_digit[d] = load_u32(a.counts, static_cast<uint64_t>(d) * a.tile_count + tile);
    }
    t.sync_warp();
    for_each_ranked(t, a, tile, counters, [&](uint64_t item, uint32_t place) {
      if (place < a.records) {
        store_item(a.other, place, item);
      } else {
        reporter.report(Code::kInvalidPlan, a.pe, a.records, place, tile);
      }
    });
    t.sync_warp();
  }
}

}  // namespace symshuffle
