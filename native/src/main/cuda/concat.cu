// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy.h"
#include "geometry.h"
#include "layout.h"
#include "memory.h"
#include "report.h"
#include "scan.h"
#include "slices.h"
#include "string_offsets.h"
#include "threads.h"
#include "tuning.h"

// concat makes one table of the rows of many, column by column, for batches of many small tables: a library that
// launches kernels for each column takes longer to launch them than they run. Two steps on one stream:
//
//   concat_starts  a warp per column of strings: where the characters of each part start in the result
//   concat_rows    a warp per column and unit of rows: copies values or characters, rebases offsets, and merges
//                  the bits of validity into words that the host has zeroed
//
// Offsets of strings are not trusted: characters are copied only from inside a part's and to inside the result's.
namespace symshuffle {

/// The units of a part, for slices.h.
struct ConcatRows {
  uint32_t rows;

  SYM_CONST_FN uint32_t units() const { return divide_up(rows, kConcatUnitRows); }
};

/// Bytes of a value; 0 for strings and unknown kinds.
SYM_FN uint32_t value_bytes(uint32_t kind) {
  switch (static_cast<ColumnKind>(kind)) {
    case ColumnKind::kBool:
    case ColumnKind::kInt8:
      return 1;
    case ColumnKind::kInt16:
      return 2;
    case ColumnKind::kInt32:
    case ColumnKind::kFloat32:
    case ColumnKind::kDecimal32:
      return 4;
    case ColumnKind::kInt64:
    case ColumnKind::kFloat64:
      return 8;
    case ColumnKind::kDecimal128:
      return 16;
    default:
      return 0;
  }
}

/// The lists of a launch.
struct ConcatLists {
  const ConcatPart* parts;
  const TableColumn* part_columns;
  const ConcatColumn* columns;
  uint64_t starts;
  uint32_t part_count;
  uint32_t column_count;

  explicit SYM_FN ConcatLists(const ConcatArguments& a)
      : parts(reinterpret_cast<const ConcatPart*>(a.parts)),
        part_columns(reinterpret_cast<const TableColumn*>(a.part_columns)),
        columns(reinterpret_cast<const ConcatColumn*>(a.columns)),
        starts(a.starts),
        part_count(a.part_count),
        column_count(a.column_count) {}

  SYM_FN uint32_t index(uint32_t part, uint32_t column) const { return part * column_count + column; }

  /// Where a u32 says at which byte of a column of strings the characters of a part start.
  SYM_FN uint64_t start(uint32_t part, const ConcatColumn& column) const {
    return starts + (uint64_t{column.string} * part_count + part) * sizeof(uint32_t);
  }
};

/// Bytes of the characters of rows [begin, end) of a part, from `first` on; none if the offsets are damaged.
struct Characters {
  uint64_t first;
  uint64_t bytes;
};

SYM_FN Characters characters_of(const TableColumn& column, uint32_t index, uint32_t begin, uint32_t end,
                                const Reporter& reporter) {
  const bool large = column.kind == static_cast<uint32_t>(ColumnKind::kLargeString);
  const uint64_t from = string_offset(column, large, begin);
  const uint64_t to = string_offset(column, large, end);
  if (from > to || to > column.bytes) {
    reporter.report(Code::kDamagedString, index, from, to, begin);
    return Characters{0, 0};
  }
  return Characters{from, to - from};
}

template <class Thread>
SYM_FN void concat_starts(const Thread& t, const ConcatArguments& a) {
  const Reporter reporter{a.status, a.pe};
  const ConcatLists lists(a);
  for (uint32_t c = warp_of(t); c < a.column_count; c += warps_of(t)) {
    const ConcatColumn column = lists.columns[c];
    if (column.kind != static_cast<uint32_t>(ColumnKind::kString)) {
      continue;
    }
    uint64_t total = 0;
    for (uint32_t base = 0; base < a.part_count; base += Thread::kLanes) {
      const uint32_t part = base + t.lane();
      uint64_t bytes = 0;
      if (part < a.part_count) {
        const uint32_t index = lists.index(part, c);
        bytes = characters_of(lists.part_columns[index], index, 0, lists.parts[part].rows, reporter).bytes;
      }
      const uint64_t through = sum_through(t, bytes);
      if (part < a.part_count) {
        store_value<uint32_t>(lists.start(part, column), static_cast<uint32_t>(total + through - bytes));
      }
      total += uint64_t{t.from_lane(static_cast<uint32_t>(through >> 32), Thread::kLanes - 1)} << 32 |
               t.from_lane(static_cast<uint32_t>(through), Thread::kLanes - 1);
    }
    if (t.lane() == 0) {
      if (total > column.bytes) {
        reporter.report(Code::kDamagedString, c, column.bytes, total, a.rows);
      }
      store_value<uint32_t>(column.offsets + uint64_t{a.rows} * sizeof(uint32_t), static_cast<uint32_t>(total));
    }
  }
}

/// Copies up to kMaxPieceBytes by one warp.
template <class Thread>
SYM_FN void copy_bytes(const Thread& t, uint64_t from, uint64_t to, uint64_t bytes) {
  const CopyShape shape = copy_shape(from, to, bytes);
  if (shape.units() != 0) {
    copy_units<kCopyRows>(t, shape, 0, shape.units());
  }
}

/// Sets the bits of rows [begin, end) of a part that are not null.
template <class Thread>
SYM_FN void concat_validity(const Thread& t, const TableColumn& from, uint64_t to, uint32_t first_row,
                            uint32_t begin, uint32_t end) {
  for (uint32_t base = begin; base < end; base += Thread::kLanes) {
    const uint32_t row = base + t.lane();
    bool valid = row < end;
    if (valid && from.validity != 0) {
      const uint32_t word = load_value<uint32_t>(from.validity + uint64_t{row} / 32 * sizeof(uint32_t));
      valid = (word >> row % 32 & 1) != 0;
    }
    const uint32_t bits = t.ballot(valid);
    const uint32_t at = first_row + base;
    const uint64_t word = to + uint64_t{at} / 32 * sizeof(uint32_t);
    const uint32_t shift = at % 32;
    if (t.lane() == 0) {
      fetch_or_device(word, bits << shift);
      // Other parts and units have bits in the same words.
      const uint32_t rest = shift == 0 ? 0 : bits >> (32 - shift);
      if (rest != 0) {
        fetch_or_device(word + sizeof(uint32_t), rest);
      }
    }
  }
}

template <class Thread>
SYM_FN void concat_strings(const Thread& t, const TableColumn& from, uint32_t index, const ConcatColumn& to,
                           uint64_t start_of_part, uint32_t first_row, uint32_t begin, uint32_t end,
                           const Reporter& reporter) {
  const bool large = from.kind == static_cast<uint32_t>(ColumnKind::kLargeString);
  const uint64_t first = string_offset(from, large, 0);
  const uint64_t start = start_of_part - first;
  for (uint32_t row = begin + t.lane(); row < end; row += Thread::kLanes) {
    store_value<uint32_t>(to.offsets + (uint64_t{first_row} + row) * sizeof(uint32_t),
                          static_cast<uint32_t>(start + string_offset(from, large, row)));
  }
  const Characters characters = characters_of(from, index, begin, end, reporter);
  const uint64_t at = start + characters.first;
  if (at > to.bytes || characters.bytes > to.bytes - at) {
    reporter.report(Code::kDamagedString, index, at, at + characters.bytes, begin);
    return;
  }
  copy_bytes(t, from.data + characters.first, to.data + at, characters.bytes);
}

template <class Thread>
SYM_FN void concat_rows(const Thread& t, const ConcatArguments& a) {
  const Reporter reporter{a.status, a.pe};
  const ConcatLists lists(a);
  const auto shape_of = [](const ConcatPart& part) { return ConcatRows{part.rows}; };
  if (!check_plan(t, lists.parts, a.part_count, 1, a.unit_count, reporter, shape_of)) {
    return;
  }
  const uint32_t items = a.unit_count * a.column_count;
  for (uint32_t item = warp_of(t); item < items; item += warps_of(t)) {
    const uint32_t unit = item / a.column_count;
    const uint32_t c = item % a.column_count;
    const uint32_t part = find_descriptor(t, lists.parts, a.part_count, unit);
    const ConcatPart p = lists.parts[part];
    const uint32_t begin = (unit - p.first_unit) * kConcatUnitRows;
    const uint32_t end = smaller(p.rows, begin + kConcatUnitRows);
    const uint32_t index = lists.index(part, c);
    const TableColumn from = lists.part_columns[index];
    const ConcatColumn to = lists.columns[c];
    if (to.validity != 0) {
      concat_validity(t, from, to.validity, p.first_row, begin, end);
    }
    const uint64_t width = value_bytes(to.kind);
    if (width != 0) {
      copy_bytes(t, from.data + begin * width, to.data + (uint64_t{p.first_row} + begin) * width,
                 (end - begin) * width);
    } else if (to.kind == static_cast<uint32_t>(ColumnKind::kString)) {
      const uint64_t start = load_value<uint32_t>(lists.start(part, to));
      concat_strings(t, from, index, to, start, p.first_row, begin, end, reporter);
    } else {
      reporter.report(Code::kUnsupported, reporter.pe, 0, to.kind, index);
    }
  }
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer (whole warps), no dynamic shared memory.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_concat_starts(const __grid_constant__ symshuffle::ConcatArguments arguments) {
  symshuffle::concat_starts(symshuffle::DeviceThread{}, arguments);
}

/// Launch: as above, after symshuffle_concat_starts on the same stream.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_concat_rows(const __grid_constant__ symshuffle::ConcatArguments arguments) {
  symshuffle::concat_rows(symshuffle::DeviceThread{}, arguments);
}
#endif
