// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "platform.h"
#include "slices.h"
#include "threads.h"
#include "tuning.h"

// check_tables decides whether serialized tables can be assembled: RAPIDS' kernels, which make one table of many
// serialized ones (shuffle_assemble.cu in github.com/NVIDIA/spark-rapids-jni), trust every number in them, and
// cuDF's kernels trust the offsets of the table that is made. A table that passes leads neither outside of it.
// A serialized table has a start that is a multiple of 4, and
//
//   u32[7]     big-endian: magic, row_index, rows, bytes of validity, of offsets, of all sections, columns
//   u8[]       bit c % 8 of byte c / 8: column c (depth-first) has validity; an array of whole bytes
//   validity   of each such column: bits of its rows after the low row_index % 8 bits, in whole bytes
//   offsets    of each column of strings or lists: u32[rows + 1], not rebased; none if it has no rows
//   data       of each column: the values, or the characters of strings
//
// where zeros follow the validity and the data up to the next multiple of 4 from the start. Columns below a list
// have as many rows as the difference of its last offset and its first, and the first as their row_index.
//
// Expected performance: only offsets are read, once; several warps share a table, each has a part of the rows,
// and all of them walk over the columns.
namespace symshuffle {

/// Below this, numbers of rows do not overflow in RAPIDS' kernels, which round them up in 32 bits with a sign.
inline constexpr uint64_t kMaxSerializedRows = 0x7fffff00;

/// Rows whose validity RAPIDS copies at a time.
inline constexpr uint64_t kAssembledRows = 1 << 23;

/// The rows of the columns below a list, or of the table.
struct RowRange {
  uint32_t first;
  uint32_t rows;
};

/// Shared memory of a CTA of up to 16 warps: for each, the rows of the table, and of the columns below each list
/// on the way to a column.
struct CheckMemory {
  RowRange level[kCtaThreads / 32][kMaxSchemaDepth];
};

SYM_FN uint32_t load_big_endian(uint64_t address) {
  const uint32_t value = load_value<uint32_t>(address);
  return value << 24 | (value << 8 & 0xff0000) | (value >> 8 & 0xff00) | value >> 24;
}

SYM_CONST_FN uint64_t to_multiple_of_4(uint64_t bytes) {
  return divide_up<uint64_t>(bytes, 4) * 4;
}

/// The header of a serialized table whose start was found to be inside of it.
struct SerializedHeader {
  uint32_t row_index;
  uint32_t rows;
  uint32_t validity_bytes;
  uint32_t offset_bytes;
  uint32_t all_bytes;
  uint64_t sections;  // where they start, from the start of the table

  SYM_FN uint64_t offsets() const { return sections + validity_bytes; }
  SYM_FN uint64_t data_bytes() const { return uint64_t{all_bytes} - validity_bytes - offset_bytes; }
};

/// Reads the header. What it says fits into the table if the result is kNone.
SYM_FN TableProblem read_header(const CheckDescriptor& d, uint32_t columns, SerializedHeader* header) {
  if (d.address % 4 != 0) {
    return TableProblem::kMisaligned;
  }
  header->sections = kSerializedHeaderBytes + divide_up<uint64_t>(columns, 8);
  if (d.bytes < header->sections) {
    return TableProblem::kShort;
  }
  if (load_big_endian(d.address) != kSerializedMagic) {
    return TableProblem::kMagic;
  }
  header->row_index = load_big_endian(d.address + 4);
  header->rows = load_big_endian(d.address + 8);
  header->validity_bytes = load_big_endian(d.address + 12);
  header->offset_bytes = load_big_endian(d.address + 16);
  header->all_bytes = load_big_endian(d.address + 20);
  if (header->rows != d.rows || uint64_t{header->row_index} + header->rows > kMaxSerializedRows) {
    return TableProblem::kRows;
  }
  if (load_big_endian(d.address + 24) != columns) {
    return TableProblem::kColumns;
  }
  if (uint64_t{header->validity_bytes} + header->offset_bytes > header->all_bytes ||
      header->sections + header->all_bytes != d.bytes || header->offsets() % 4 != 0 ||
      header->offset_bytes % 4 != 0 || d.bytes % 4 != 0) {
    return TableProblem::kSections;
  }
  return TableProblem::kNone;
}

/// Returns whether an offset in this lane's share of part `part` of `parts` of offsets[0..rows] is above the next
/// one.
template <class Thread>
SYM_FN bool descends(const Thread& t, uint64_t offsets, uint32_t rows, uint32_t part, uint32_t parts) {
  const auto begin = static_cast<uint32_t>(uint64_t{rows} * part / parts);
  const auto end = static_cast<uint32_t>(uint64_t{rows} * (part + 1) / parts);
  bool found = false;
  for (uint64_t base = begin; base < end; base += kCheckRows * Thread::kLanes) {
    uint32_t here[kCheckRows];
    uint32_t next[kCheckRows];
    SYM_UNROLL
    for (uint32_t r = 0; r < kCheckRows; ++r) {
      const uint64_t row = base + r * Thread::kLanes + t.lane();
      here[r] = row < end ? load_value<uint32_t>(offsets + row * sizeof(uint32_t)) : 0;
      next[r] = row < end ? load_value<uint32_t>(offsets + (row + 1) * sizeof(uint32_t)) : 0;
    }
    SYM_UNROLL
    for (uint32_t r = 0; r < kCheckRows; ++r) {
      found |= here[r] > next[r];
    }
  }
  return found;
}

/// Checks a table; called by a warp, which reads the offsets of one part of the rows. The result is the same on
/// all lanes.
template <class Thread>
SYM_FN TableProblem check_table(const Thread& t, const CheckDescriptor& d, const CheckColumn* columns,
                                uint32_t column_count, uint32_t part, uint32_t parts, RowRange* levels) {
  SerializedHeader header;
  const TableProblem problem = read_header(d, column_count, &header);
  if (problem != TableProblem::kNone) {
    return problem;
  }
  uint64_t validity = 0;
  uint64_t offsets = 0;
  uint64_t data = 0;
  bool descending = false;
  if (t.lane() == 0) {
    levels[0] = RowRange{header.row_index, header.rows};
  }
  t.sync_warp();
  for (uint32_t c = 0; c < column_count; ++c) {
    const CheckColumn column = columns[c];
    const RowRange range = levels[column.level];
    const auto kind = static_cast<SerializedKind>(column.kind);
    if (range.rows != 0 && (load_value<uint8_t>(d.address + kSerializedHeaderBytes + c / 8) >> c % 8 & 1) != 0) {
      const uint64_t bits = uint64_t{range.rows} + range.first % 8;
      // RAPIDS takes a last batch that has bits but less than no rows for a whole one.
      if ((bits - 1) / kAssembledRows * kAssembledRows > range.rows) {
        return TableProblem::kBatch;
      }
      validity += divide_up<uint64_t>(bits, 8);
    }
    RowRange below{range.first, 0};
    if ((kind == SerializedKind::kString || kind == SerializedKind::kList) && range.rows != 0) {
      const uint64_t bytes = (uint64_t{range.rows} + 1) * sizeof(uint32_t);
      if (bytes > header.offset_bytes - offsets) {
        return TableProblem::kOffsetBytes;
      }
      const uint64_t at = d.address + header.offsets() + offsets;
      const uint32_t first = load_value<uint32_t>(at);
      const uint32_t last = load_value<uint32_t>(at + bytes - sizeof(uint32_t));
      if (first > last || last > kMaxSerializedRows) {
        return TableProblem::kOffsets;
      }
      descending |= descends(t, at, range.rows, part, parts);
      below = RowRange{first, last - first};
      offsets += bytes;
    }
    if (kind == SerializedKind::kList) {
      t.sync_warp();
      if (t.lane() == 0) {
        levels[column.level + 1] = below;
      }
      t.sync_warp();
    } else if (kind != SerializedKind::kStruct) {
      data += kind == SerializedKind::kString ? below.rows : uint64_t{range.rows} * column.width;
      if (data > header.data_bytes()) {
        return TableProblem::kDataBytes;
      }
    }
  }
  if (to_multiple_of_4(header.sections + validity) != header.offsets()) {
    return TableProblem::kValidityBytes;
  }
  if (offsets != header.offset_bytes) {
    return TableProblem::kOffsetBytes;
  }
  if (to_multiple_of_4(data) != header.data_bytes()) {
    return TableProblem::kDataBytes;
  }
  return t.ballot(descending) != 0 ? TableProblem::kOffsets : TableProblem::kNone;
}

template <class Thread>
SYM_FN void check_tables(const Thread& t, const CheckArguments& a, CheckMemory* shared) {
  RowRange* levels = shared->level[t.thread() / Thread::kLanes];
  const auto* list = reinterpret_cast<const CheckDescriptor*>(a.tables);
  const auto* columns = reinterpret_cast<const CheckColumn*>(a.columns);
  const uint32_t items = a.table_count * a.parts;
  for (uint32_t item = warp_of(t); item < items; item += warps_of(t)) {
    const uint32_t table = item / a.parts;
    const TableProblem problem =
        check_table(t, list[table], columns, a.column_count, item % a.parts, a.parts, levels);
    if (problem != TableProblem::kNone && t.lane() == 0) {
      compare_and_swap_device(a.results + uint64_t{table} * sizeof(uint32_t), 0, static_cast<uint32_t>(problem));
    }
    t.sync_warp();
  }
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer (whole warps), no dynamic shared memory.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_check_tables(const __grid_constant__ symshuffle::CheckArguments arguments) {
  __shared__ symshuffle::CheckMemory memory;
  symshuffle::check_tables(symshuffle::DeviceThread{}, arguments, &memory);
}
#endif
