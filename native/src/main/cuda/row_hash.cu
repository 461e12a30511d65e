// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "report.h"
#include "scan.h"
#include "slices.h"
#include "string_offsets.h"
#include "threads.h"
#include "tuning.h"
#include "xxhash64.h"

// row_hash adds the hashes of all rows of a list of tables, modulo 2^64. The hash of a row is that of Spark's
// function xxhash64 (XxHash64Function in org.apache.spark.sql.catalyst.expressions) and of RAPIDS'
// (xxhash64.cu in github.com/NVIDIA/spark-rapids-jni): the hash of each value that is not null is the seed of
// the next one. A list is divided into units of rows (slices.h). A lane hashes kHashRows rows at a time, column
// by column, and adjacent lanes have adjacent rows, so a warp reads whole lines of a column.
//
// Expected performance: bytes are read once. A value takes about 6 multiplications of 64 bits, 4 instructions
// each, so three columns of 200 million rows take 15 billion instructions, about 1 ms on an H200 at one per
// lane and clock (132 multiprocessors x 64 lanes x 1.7 GHz); 24 bytes per row are 4.8 GB, 1 ms at 4.8 TB/s.
// These numbers are calculated.
namespace symshuffle {

/// The units of a table, for slices.h.
struct HashedRows {
  uint32_t rows;

  SYM_CONST_FN uint32_t units() const { return divide_up(rows, kHashUnitRows); }
};

/// The rows of one lane: first, first + kLanes, …, kHashRows of them. Those from `end` on do not exist.
template <uint32_t kLanes>
struct HashLane {
  uint32_t first;
  uint32_t end;

  SYM_FN uint32_t row(uint32_t i) const { return first + i * kLanes; }
  SYM_FN bool exists(uint32_t i) const { return row(i) < end; }
};

/// Bit i is set if this lane's row i exists and its value in a column is not null.
template <uint32_t kLanes>
SYM_FN uint32_t values_present(const HashLane<kLanes>& lane, const TableColumn& column) {
  uint32_t present = 0;
  SYM_UNROLL
  for (uint32_t i = 0; i < kHashRows; ++i) {
    uint32_t word = lane.exists(i) ? ~0U : 0;
    if (word != 0 && column.validity != 0) {
      word = load_value<uint32_t>(column.validity + lane.row(i) / 32 * sizeof(uint32_t));
    }
    present |= (word >> lane.row(i) % 32 & 1) << i;
  }
  return present;
}

/// Hashes values of fixed width: hash_of(value, seed).
template <class Value, uint32_t kLanes, class HashOf>
SYM_FN void hash_values(const HashLane<kLanes>& lane, const TableColumn& column, uint32_t present,
                        uint64_t (&hash)[kHashRows], HashOf hash_of) {
  Value value[kHashRows];
  SYM_UNROLL
  for (uint32_t i = 0; i < kHashRows; ++i) {
    // Also the values of nulls, so that no load waits for that of the validity.
    const uint64_t at = column.data + uint64_t{lane.row(i)} * sizeof(Value);
    value[i] = lane.exists(i) ? load_value<Value>(at) : Value{};
  }
  SYM_UNROLL
  for (uint32_t i = 0; i < kHashRows; ++i) {
    hash[i] = (present >> i & 1) != 0 ? hash_of(value[i], hash[i]) : hash[i];
  }
}

/// Hashes long values one after the other, with few registers: hash_of(row, seed).
template <uint32_t kLanes, class HashOf>
SYM_FN void hash_one_by_one(const HashLane<kLanes>& lane, uint32_t present, uint64_t (&hash)[kHashRows],
                            HashOf hash_of) {
  SYM_NO_UNROLL
  for (uint32_t i = 0; i < kHashRows; ++i) {
    // The hashes take turns in hash[0]: an index that is not a constant would put them in local memory.
    uint64_t next = hash[0];
    if ((present >> i & 1) != 0) {
      next = hash_of(lane.row(i), next);
    }
    SYM_UNROLL
    for (uint32_t k = 0; k + 1 < kHashRows; ++k) {
      hash[k] = hash[k + 1];
    }
    hash[kHashRows - 1] = next;
  }
}

/// Hashes the string of a row. Offsets that descend or exceed the characters are reported.
SYM_FN uint64_t hash_string(const TableColumn& column, uint32_t index, uint32_t row, uint64_t seed,
                            const Reporter& reporter) {
  const bool large = column.kind == static_cast<uint32_t>(ColumnKind::kLargeString);
  const uint64_t begin = string_offset(column, large, row);
  const uint64_t end = string_offset(column, large, row + 1);
  if (begin > end || end > column.bytes) {
    reporter.report(Code::kDamagedString, index, begin, end, row);
    return seed;
  }
  return xxhash64::of_bytes(column.data + begin, end - begin, seed);
}

/// As Spark's Float.floatToIntBits, with one zero: all NaNs are equal, and so are 0.0 and -0.0.
SYM_CONST_FN uint32_t float_bits(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7fffffffU;
  return magnitude > 0x7f800000U ? 0x7fc00000U : magnitude == 0 ? 0 : bits;
}

SYM_CONST_FN uint64_t double_bits(uint64_t bits) {
  const uint64_t magnitude = bits & 0x7fffffffffffffffULL;
  return magnitude > 0x7ff0000000000000ULL ? 0x7ff8000000000000ULL : magnitude == 0 ? 0 : bits;
}

SYM_CONST_FN uint64_t reverse_bytes(uint64_t value) {
  value = (value & 0x00ff00ff00ff00ffULL) << 8 | (value >> 8 & 0x00ff00ff00ff00ffULL);
  value = (value & 0x0000ffff0000ffffULL) << 16 | (value >> 16 & 0x0000ffff0000ffffULL);
  return value << 32 | value >> 32;
}

/// The hash of a number of 128 bits as Java's BigInteger.toByteArray has it: big-endian, without bytes that
/// only repeat the sign.
SYM_FN uint64_t hash_decimal128(const Granule& value, uint64_t seed) {
  const uint64_t low = uint64_t{value.word[1]} << 32 | value.word[0];
  const uint64_t high = uint64_t{value.word[3]} << 32 | value.word[2];
  const uint64_t sign = (high >> 63) != 0 ? ~0ULL : 0;
  const uint32_t same = high != sign ? leading_zeros(high ^ sign) : 64 + leading_zeros(low ^ sign);
  const uint32_t skipped = (same - 1) / 8;  // one byte has the sign
  uint64_t first = reverse_bytes(high);
  uint64_t second = reverse_bytes(low);
  if (skipped >= 8) {
    first = second >> 8 * (skipped - 8);
  } else if (skipped != 0) {
    first = first >> 8 * skipped | second << (64 - 8 * skipped);
    second >>= 8 * skipped;
  }
  return xxhash64::of_16_bytes_or_less(first, second, 16 - skipped, seed);
}

/// Hashes this lane's values of one column; `hash` has the seeds, and gets the hashes.
template <uint32_t kLanes>
SYM_FN void hash_column(const HashLane<kLanes>& lane, const TableColumn& column, uint32_t index,
                        uint64_t (&hash)[kHashRows], const Reporter& reporter) {
  const uint32_t present = values_present(lane, column);
  switch (static_cast<ColumnKind>(column.kind)) {
    case ColumnKind::kBool:
      hash_values<uint8_t>(lane, column, present, hash, [](uint8_t value, uint64_t seed) {
        return xxhash64::of_4_bytes(value != 0 ? 1 : 0, seed);
      });
      return;
    case ColumnKind::kInt8:
      hash_values<uint8_t>(lane, column, present, hash, [](uint8_t value, uint64_t seed) {
        return xxhash64::of_4_bytes(static_cast<uint32_t>(static_cast<int8_t>(value)), seed);
      });
      return;
    case ColumnKind::kInt16:
      hash_values<uint16_t>(lane, column, present, hash, [](uint16_t value, uint64_t seed) {
        return xxhash64::of_4_bytes(static_cast<uint32_t>(static_cast<int16_t>(value)), seed);
      });
      return;
    case ColumnKind::kInt32:
      hash_values<uint32_t>(lane, column, present, hash, [](uint32_t value, uint64_t seed) {
        return xxhash64::of_4_bytes(value, seed);
      });
      return;
    case ColumnKind::kInt64:
      hash_values<uint64_t>(lane, column, present, hash, [](uint64_t value, uint64_t seed) {
        return xxhash64::of_8_bytes(value, seed);
      });
      return;
    case ColumnKind::kFloat32:
      hash_values<uint32_t>(lane, column, present, hash, [](uint32_t value, uint64_t seed) {
        return xxhash64::of_4_bytes(float_bits(value), seed);
      });
      return;
    case ColumnKind::kFloat64:
      hash_values<uint64_t>(lane, column, present, hash, [](uint64_t value, uint64_t seed) {
        return xxhash64::of_8_bytes(double_bits(value), seed);
      });
      return;
    case ColumnKind::kDecimal32:
      hash_values<uint32_t>(lane, column, present, hash, [](uint32_t value, uint64_t seed) {
        return xxhash64::of_8_bytes(static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)}), seed);
      });
      return;
    case ColumnKind::kDecimal128:
      hash_one_by_one(lane, present, hash, [&](uint32_t row, uint64_t seed) {
        return hash_decimal128(load_value<Granule>(column.data + uint64_t{row} * sizeof(Granule)), seed);
      });
      return;
    case ColumnKind::kString:
    case ColumnKind::kLargeString:
      hash_one_by_one(lane, present, hash, [&](uint32_t row, uint64_t seed) {
        return hash_string(column, index, row, seed, reporter);
      });
      return;
  }
  reporter.report(Code::kUnsupported, reporter.pe, 0, column.kind, index);
}

/// The sum of the hashes of this lane's rows of [begin, end) of a table.
template <class Thread>
SYM_FN uint64_t hash_rows(const Thread& t, const RowHashArguments& a, const HashedTable& table,
                          uint32_t begin, uint32_t end, const Reporter& reporter) {
  const auto* columns = reinterpret_cast<const TableColumn*>(a.columns);
  uint64_t sum = 0;
  SYM_NO_UNROLL
  for (uint32_t base = begin; base < end; base += Thread::kLanes * kHashRows) {
    const HashLane<Thread::kLanes> lane{base + t.lane(), end};
    uint64_t hash[kHashRows];
    SYM_UNROLL
    for (uint32_t i = 0; i < kHashRows; ++i) {
      hash[i] = table.seed;
    }
    SYM_NO_UNROLL
    for (uint32_t c = 0; c < table.column_count; ++c) {
      const uint32_t index = table.first_column + c;
      hash_column(lane, columns[index], index, hash, reporter);
    }
    SYM_UNROLL
    for (uint32_t i = 0; i < kHashRows; ++i) {
      sum += lane.exists(i) ? hash[i] : 0;
    }
  }
  return sum;
}

/// Adds the hashes of all rows of a list of tables to the zeroed `result`. `memory` is shared memory of the
/// CTA.
template <class Thread>
SYM_FN void row_hash(const Thread& t, const RowHashArguments& a, ScanMemory* memory) {
  const Reporter reporter{a.status, a.pe};
  const auto* list = reinterpret_cast<const HashedTable*>(a.tables);
  const auto shape_of = [](const HashedTable& table) { return HashedRows{table.rows}; };
  if (!check_plan(t, list, a.table_count, a.tile_units, a.unit_count, reporter, shape_of)) {
    return;
  }
  const TileRange tiles = tiles_of(warp_of(t), warps_of(t), a.unit_count, a.tile_units, 1);
  uint64_t sum = 0;
  for_each_slice(
      t, list, a.table_count, a.tile_units, a.unit_count, tiles, reporter, shape_of,
      [&](const HashedTable& table, uint32_t index, const HashedRows& shape, uint32_t begin, uint32_t end) {
        const uint64_t columns = uint64_t{table.first_column} + table.column_count;
        if (columns > a.column_count) {
          reporter.report(Code::kInvalidArgument, reporter.pe, a.column_count, columns, index);
          return;
        }
        const uint32_t end_row = smaller(end * kHashUnitRows, shape.rows);
        sum += hash_rows(t, a, table, begin * kHashUnitRows, end_row, reporter);
      });
  uint64_t total;
  sum_before(t, sum, memory, &total);
  if (t.thread() == 0) {
    fetch_add_device(a.result, total);
  }
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer (whole warps), no dynamic shared memory.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_row_hash(const __grid_constant__ symshuffle::RowHashArguments arguments) {
  __shared__ symshuffle::ScanMemory memory;
  symshuffle::row_hash(symshuffle::DeviceThread{}, arguments, &memory);
}
#endif
