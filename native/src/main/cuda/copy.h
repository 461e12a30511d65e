// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry.h"
#include "granule.h"
#include "memory.h"
#include "platform.h"
#include "tuning.h"

// Copies by one warp: 16-byte loads and stores, consecutive lanes at consecutive granules, kRows loads in
// flight per lane. Where source and destination are misaligned relative to each other, each granule is
// combined from two loaded ones, the second of which the next lane has loaded: only one granule in kRows x 32
// is read twice. The partial granules at the two ends of a piece are copied byte by byte.
namespace symshuffle {

/// Copies the granules [base, base + kRows x lanes), all of which are whole and readable. A shifted copy
/// reads one more.
template <int kRows, bool kShifted, class Thread>
SYM_FN void copy_all_rows(const Thread& t, const CopyShape& s, int32_t base) {
  constexpr uint32_t kRowBytes = Thread::kLanes * kGranuleBytes;
  const int32_t first = base + static_cast<int32_t>(t.lane());
  const int64_t offset = static_cast<int64_t>(first) * kGranuleBytes;
  const uint64_t from = s.load_base + offset;
  const uint64_t to = s.store_base + offset;
  Granule row[kRows + 1];
  SYM_UNROLL
  for (int r = 0; r < kRows; ++r) {
    row[r] = load_once(from + r * kRowBytes);
  }
  row[kRows] = kShifted && t.lane() == 0 ? load_once(from + kRows * kRowBytes) : Granule{};
  SYM_UNROLL
  for (int r = 0; r < kRows; ++r) {
    // The last lane's second granule is the first lane's of the next row.
    store(to + r * kRowBytes,
          kShifted ? join(row[r], t.from_next_lane(choose(t.lane() == 0, row[r + 1], row[r])), s.shift)
                   : row[r]);
  }
}

/// Copies the granules of [base, base + kRows x lanes) that are in [begin, end), all of which are whole.
template <int kRows, bool kShifted, class Thread>
SYM_FN void copy_some_rows(const Thread& t, const CopyShape& s, int32_t base, int32_t begin, int32_t end) {
  constexpr int32_t kLanes = Thread::kLanes;
  const int32_t first = base + static_cast<int32_t>(t.lane());
  const int32_t load_end = end + (kShifted ? 1 : 0);  // its first bytes complete the last granule
  Granule row[kRows + 1];
  SYM_UNROLL
  for (int r = 0; r <= kRows; ++r) {
    const int32_t i = first + r * kLanes;
    const bool wanted = begin <= i && i < load_end && (r < kRows || (kShifted && t.lane() == 0));
    row[r] = wanted ? load_once(s.load_base + static_cast<int64_t>(i) * kGranuleBytes) : Granule{};
  }
  SYM_UNROLL
  for (int r = 0; r < kRows; ++r) {
    const int32_t i = first + r * kLanes;
    const Granule whole =
        kShifted ? join(row[r], t.from_next_lane(choose(t.lane() == 0, row[r + 1], row[r])), s.shift)
                 : row[r];
    if (begin <= i && i < end) {
      store(s.store_base + static_cast<int64_t>(i) * kGranuleBytes, whole);
    }
  }
}

/// Copies the whole granules of [begin, end) in rows that start at `base` (<= begin).
template <int kRows, bool kShifted, class Thread>
SYM_FN void copy_granules(const Thread& t, const CopyShape& s, int32_t base, int32_t begin, int32_t end) {
  constexpr int32_t kCount = kRows * static_cast<int32_t>(Thread::kLanes);
  for (; base < end; base += kCount) {
    if (base >= begin && base + kCount <= end) {
      copy_all_rows<kRows, kShifted>(t, s, base);
    } else {
      copy_some_rows<kRows, kShifted>(t, s, base, begin, end);
    }
  }
}

/// The bytes of the partial granules at both ends of a piece: byte b of granule 0 has number b, byte b of the
/// last granule has number 16 + b; consecutive lanes have consecutive numbers.
template <class Thread>
struct EndBytes {
  static constexpr uint32_t kLanes = Thread::kLanes;
  static constexpr uint32_t kCount = 2 * kGranuleBytes / kLanes;
  uint8_t byte[kCount];

  static SYM_FN bool holds(const CopyShape& s, uint32_t number, int32_t begin, int32_t end) {
    const uint32_t b = number % kGranuleBytes;
    if (number < kGranuleBytes) {
      return begin == 0 && begin < end && s.whole_begin() == 1 && b >= s.head &&
             (s.granules > 1 || b < s.tail);
    }
    return end == s.granules && begin < end && s.whole_end() < end && b < s.tail &&
           (s.granules > 1 || s.whole_begin() == 0);
  }

  static SYM_FN int64_t offset(const CopyShape& s, uint32_t number) {
    const int32_t granule = number < kGranuleBytes ? 0 : s.granules - 1;
    return static_cast<int64_t>(granule) * kGranuleBytes + number % kGranuleBytes;
  }

  /// Loads the bytes of granules [begin, end) before the rows are copied, so that all loads overlap.
  SYM_FN void load(const Thread& t, const CopyShape& s, int32_t begin, int32_t end) {
    SYM_UNROLL
    for (uint32_t k = 0; k < kCount; ++k) {
      const uint32_t number = k * kLanes + t.lane();
      byte[k] =
          holds(s, number, begin, end) ? load_value<uint8_t>(s.load_base + s.shift + offset(s, number)) : 0;
    }
  }

  SYM_FN void store(const Thread& t, const CopyShape& s, int32_t begin, int32_t end) const {
    SYM_UNROLL
    for (uint32_t k = 0; k < kCount; ++k) {
      const uint32_t number = k * kLanes + t.lane();
      if (holds(s, number, begin, end)) {
        store_value<uint8_t>(s.store_base + offset(s, number), byte[k]);
      }
    }
  }
};

/// Copies units [unit_begin, unit_end) of one piece.
template <int kRows, class Thread>
SYM_FN void copy_units(const Thread& t, const CopyShape& s, uint32_t unit_begin, uint32_t unit_end) {
  const int32_t begin = s.granule_begin(unit_begin);
  const int32_t end = s.granule_end(unit_end);
  EndBytes<Thread> ends;
  ends.load(t, s, begin, end);
  // Starts at the line of the first unit, so that every row starts on a line.
  const int32_t base = static_cast<int32_t>(unit_begin) * kUnitGranules - s.lead;
  const int32_t whole_begin = larger(begin, s.whole_begin());
  const int32_t whole_end = smaller(end, s.whole_end());
  if (s.shift == 0) {
    copy_granules<kRows, false>(t, s, base, whole_begin, whole_end);
  } else {
    copy_granules<kRows, true>(t, s, base, whole_begin, whole_end);
  }
  ends.store(t, s, begin, end);
}

}  // namespace symshuffle
