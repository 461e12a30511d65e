// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crc32c_algebra.h"
#include "geometry.h"
#include "granule.h"
#include "slices.h"
#include "threads.h"
#include "tuning.h"

namespace symshuffle {

#if defined(__CUDACC__)
__device__ const crc32c::Powers crc32c_powers = crc32c::make_powers();
__device__ const crc32c::LaneFactors crc32c_lane_factors = crc32c::make_lane_factors();
__device__ const crc32c::FoldTable crc32c_fold_table = crc32c::make_fold_table(DeviceThread::kLanes);

template <class Thread>
SYM_FN const crc32c::FoldTable& crc32c_fold_table_of() {
  return crc32c_fold_table;
}
#else
inline constexpr crc32c::Powers crc32c_powers = crc32c::make_powers();
inline constexpr crc32c::LaneFactors crc32c_lane_factors = crc32c::make_lane_factors();

template <class Thread>
const crc32c::FoldTable& crc32c_fold_table_of() {
  static constexpr crc32c::FoldTable table = crc32c::make_fold_table(Thread::kLanes);
  return table;
}
#endif

/// Combines the sum so far with the next 16 bytes of this lane and moves it to the lane's granule of the next
/// row.
SYM_FN uint32_t crc32c_fold(const crc32c::FoldTable& table, uint32_t sum, const Granule& granule) {
  uint32_t result = 0;
  SYM_UNROLL
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t word = i == 0 ? granule.word[0] ^ sum : granule.word[i];
    SYM_UNROLL
    for (uint32_t half = 0; half < 8; ++half) {
      result ^= table.entry[8 * i + half][word >> (4 * half) & 15];
    }
  }
  return result;
}

/// x^exponent, computed by the whole warp.
template <class Thread>
SYM_FN uint32_t crc32c_power_of_x(const Thread& t, uint32_t exponent) {
  uint32_t power = crc32c::kOne;
  for (uint32_t k = t.lane(); k < crc32c::kPowers; k += Thread::kLanes) {
    const uint32_t factor = (exponent >> k & 1) != 0 ? crc32c_powers.of_bit[k] : crc32c::kOne;
    power = Thread::kLanes < crc32c::kPowers ? crc32c::multiply(power, factor) : factor;
  }
  for (uint32_t mask = 1; mask < Thread::kLanes; mask *= 2) {
    power = crc32c::multiply(power, t.exchange(power, mask));
  }
  return power;
}

/// The contribution of units [unit_begin, unit_end) to the CRC of one piece, the same on all lanes.
template <class Thread>
SYM_FN uint32_t crc32c_of_units(const Thread& t, const crc32c::FoldTable& table, const CopyShape& s,
                                uint64_t bytes, uint32_t unit_begin, uint32_t unit_end) {
  constexpr int32_t kLanes = Thread::kLanes;
  const int32_t end = s.granule_end(unit_end);
  const int32_t begin = s.granule_begin(unit_begin);
  int32_t base = static_cast<int32_t>(unit_begin) * kUnitGranules - s.lead;
  uint32_t sum = 0;
  for (; base < end; base += kCrcRows * kLanes) {
    Granule row[kCrcRows];
    SYM_UNROLL
    for (int r = 0; r < kCrcRows; ++r) {
      const int32_t i = base + static_cast<int32_t>(t.lane()) + r * kLanes;
      row[r] = begin <= i && i < end ? load_once(s.load_base + static_cast<int64_t>(i) * kGranuleBytes)
                                     : Granule{};
      // Bytes outside the piece count as zeros: those before it have no effect, those after it only add
      // length.
      if (i == 0 || i == s.granules - 1) {
        row[r] = keep_bytes(row[r], i == 0 ? s.head : 0, i == s.granules - 1 ? s.tail : kGranuleBytes);
      }
    }
    SYM_UNROLL
    for (int r = 0; r < kCrcRows; ++r) {
      sum = crc32c_fold(table, sum, row[r]);
    }
  }
  sum = crc32c::multiply(sum, crc32c_lane_factors.of_lane[t.lane()]);
  for (uint32_t mask = 1; mask < Thread::kLanes; mask *= 2) {
    sum ^= t.exchange(sum, mask);
  }
  // `sum` is now valid up to the end of the rows; the piece ends this many bytes later (earlier if negative).
  const int64_t done = static_cast<int64_t>(base) * kGranuleBytes - s.head;
  const uint32_t exponent = crc32c::exponent_of(static_cast<int64_t>(bytes) - done);
  uint32_t part = crc32c::multiply(sum, crc32c_power_of_x(t, exponent));
  if (unit_begin == 0) {
    // The final CRC starts from all ones, as if they preceded the piece, and is inverted at the end.
    const uint32_t whole = crc32c::exponent_of(static_cast<int64_t>(bytes));
    part ^= ~crc32c::multiply(0xffffffffU, crc32c_power_of_x(t, whole));
  }
  return part;
}

/// Copies the table to shared memory of the CTA; called by all of its threads.
template <class Thread>
SYM_FN void crc32c_share_table(const Thread& t, crc32c::FoldTable* shared_table) {
  const auto& table = crc32c_fold_table_of<Thread>();
  for (uint32_t i = t.thread(); i < 32 * 16; i += t.threads()) {
    shared_table->entry[i / 16][i % 16] = table.entry[i / 16][i % 16];
  }
  t.sync_cta();
}

/// Computes the CRC-32C of every piece of a list, each piece with as many warps as it has tiles. Results are
/// XORed into the zeroed array `results`. `shared_table` is shared memory of the CTA.
template <class Thread>
SYM_FN void crc32c_pieces(const Thread& t, const CrcArguments& a, crc32c::FoldTable* shared_table) {
  crc32c_share_table(t, shared_table);
  const Reporter reporter{a.status, a.pe};
  const auto* list = reinterpret_cast<const CrcDescriptor*>(a.descriptors);
  const auto shape_of = [](const CrcDescriptor& d) {
    return copy_shape(d.address, d.address, d.bytes);
  };
  if (!check_plan(t, list, a.descriptor_count, a.tile_units, a.unit_count, reporter, shape_of)) {
    return;
  }
  const TileRange tiles = tiles_of(warp_of(t), warps_of(t), a.unit_count, a.tile_units, 1);
  for_each_slice(
      t, list, a.descriptor_count, a.tile_units, a.unit_count, tiles, reporter, shape_of,
      [&](const CrcDescriptor& d, uint32_t index, const CopyShape& shape, uint32_t begin, uint32_t end) {
        const uint32_t part = crc32c_of_units(t, *shared_table, shape, d.bytes, begin, end);
        if (t.lane() == 0) {
          fetch_xor_device(a.results + sizeof(uint32_t) * index, part);
        }
      });
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer (whole warps), no dynamic shared memory.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_crc32c(const __grid_constant__ symshuffle::CrcArguments arguments) {
  __shared__ symshuffle::crc32c::FoldTable table;
  symshuffle::crc32c_pieces(symshuffle::DeviceThread{}, arguments, &table);
}
#endif
