// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "platform.h"

namespace symshuffle {

inline constexpr uint32_t kGranuleBytes = 16;
inline constexpr uint32_t kLineBytes = 128;
inline constexpr uint32_t kLineGranules = kLineBytes / kGranuleBytes;
inline constexpr int32_t kUnitGranules = kUnitBytes / kGranuleBytes;

/// The granules of one piece. Granule i, counted from 0, is the i-th 16-byte aligned part of the destination;
/// the first and the last may be partly outside the piece. It is made of bytes [shift, shift + 16) of the two
/// aligned source granules i and i + 1, or of granule i alone if shift is 0. Only source granules that
/// contain a byte of the piece are read: whole ones for whole destination granules, single bytes for partial
/// ones.
///
///     destination   |..dddddd|dddddddd|dddddd..|          granules of head and tail are partial
///     source        |.....ddd|dddddddd|dddddddd|ddd.....|  here shift is 3 of 8
///
/// Units are aligned to the 128-byte lines of the source, in which data crosses the link: granule 0 is number
/// `lead` of its line.
struct CopyShape {
  uint64_t load_base;   // address of source granule 0, 16-byte aligned
  uint64_t store_base;  // address of destination granule 0, 16-byte aligned
  int32_t granules;     // destination granules, including partial ones; 0: empty, or too long
  int32_t lead;         // 0 to 7
  uint32_t shift;       // 0 to 15
  uint32_t head;        // the piece starts at this byte of granule 0: 0 to 15
  uint32_t tail;        // the piece ends before this byte of the last granule: 1 to 16

  /// Destination granules that are stored whole: [whole_begin(), whole_end()).
  SYM_CONST_FN int32_t whole_begin() const { return head == 0 ? 0 : 1; }
  SYM_CONST_FN int32_t whole_end() const { return tail == kGranuleBytes ? granules : granules - 1; }

  /// Units of this piece: 0 if and only if it is empty or too long.
  SYM_CONST_FN uint32_t units() const {
    return granules == 0 ? 0 : static_cast<uint32_t>(divide_up(lead + granules, kUnitGranules));
  }

  /// Granules of units [a, b): [granule_begin(a), granule_end(b)).
  SYM_CONST_FN int32_t granule_begin(uint32_t unit) const {
    return larger(0, static_cast<int32_t>(unit) * kUnitGranules - lead);
  }
  SYM_CONST_FN int32_t granule_end(uint32_t unit) const {
    return smaller(granules, static_cast<int32_t>(unit) * kUnitGranules - lead);
  }

  /// Bytes of the piece before granule i, for i in [0, granules].
  SYM_CONST_FN uint64_t bytes_before(int32_t i) const {
    const uint64_t from_base = static_cast<uint64_t>(i) * kGranuleBytes;
    return i == 0 ? 0 : from_base - head - (i == granules ? kGranuleBytes - tail : 0);
  }
};

/// Addresses within 16 bytes of either end of the address space are not supported.
SYM_CONST_FN CopyShape copy_shape(uint64_t source, uint64_t destination, uint64_t bytes) {
  constexpr uint64_t low = kGranuleBytes - 1;
  const uint64_t head = destination & low;
  const uint64_t before_granule_0 = source - head;
  CopyShape s{};
  s.load_base = before_granule_0 & ~low;
  s.store_base = destination - head;
  s.shift = static_cast<uint32_t>(before_granule_0 & low);
  s.head = static_cast<uint32_t>(head);
  s.tail = (static_cast<uint32_t>(destination + bytes - 1) & low) + 1;
  s.lead = static_cast<int32_t>(s.load_base / kGranuleBytes % kLineGranules);
  if (bytes != 0 && bytes <= kMaxPieceBytes) {
    s.granules = static_cast<int32_t>((head + bytes + low) / kGranuleBytes);
  }
  return s;
}

}  // namespace symshuffle
