// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy.h"
#include "crc32c.cu"
#include "layout.h"
#include "memory.h"
#include "platform.h"
#include "row_records.h"
#include "row_sort.h"
#include "scan.h"
#include "slices.h"
#include "transfer.h"

// Steps 3 to 5: the place of each record of the sorted list, the bytes themselves, and the blocks' checksums.
// The work of the last two is divided by bytes of the run, in units of 2 KiB, not by records, so that one
// huge record is spread over the GPU just like millions of small ones. Records are gathered, not scattered: a
// warp writes whole lines of the run in order and reads their sources. A scatter to many partitions would
// write partial sectors, each of which memory has to read before it can be stored.
namespace symshuffle {

/// The source and destination of a record of the sorted list, in words; as a u64, `start` in the low half.
struct RowPlace {
  uint32_t start;   // of the run
  uint32_t source;  // of staging
};

SYM_FN RowPlace load_place(const RowArguments& a, uint32_t record) {
  const uint64_t place = load_item(a.other, record);
  return RowPlace{static_cast<uint32_t>(place), static_cast<uint32_t>(place >> 32)};
}

/// The prefix sum over the sorted items: words in the low bits, and the number of blocks above them, since
/// the first record of a partition starts a block. Writes the places and the table of blocks.
struct RowPlacement {
  const RowArguments& a;
  const Reporter& reporter;

  SYM_FN uint64_t value(uint32_t i) const {
    const uint64_t item = load_item(a.items, i);
    const bool starts_block = i == 0 || partition_of(load_item(a.items, i - 1)) != partition_of(item);
    return static_cast<uint64_t>(starts_block) << 32 | words_of(a, item, reporter);
  }

  SYM_FN void put(uint32_t i, uint64_t before, uint64_t value) const {
    const uint64_t item = load_item(a.items, i);
    const auto start = static_cast<uint32_t>(before);
    const auto block = static_cast<uint32_t>(before >> 32);
    store_item(a.other, i, static_cast<uint64_t>(start_of(item)) << 32 | start);
    if (value >> 32 != 0 && block < a.max_blocks) {
      store_u32(a.block_partitions, block, partition_of(item));
      store_u32(a.block_starts, block, start);
      store_u32(a.block_checksums, block, 0);
    }
    if (i == a.records - 1) {
      const uint64_t after = before + value;
      const auto end = static_cast<uint32_t>(after);
      const auto blocks = static_cast<uint32_t>(after >> 32);
      if (end != a.words || blocks > a.max_blocks) {
        reporter.report(Code::kInvalidPlan, a.pe, a.words, end, a.records);
        return;
      }
      store_u32(a.block_starts, blocks, end);
      store_u32(a.block_count, 0, blocks);
    }
  }
};

template <class Thread>
SYM_FN void row_place_parts(const Thread& t, const RowArguments& a, RowScanMemory* memory) {
  const Reporter reporter{a.status, a.pe};
  if (row_step_may_start(t, a, reporter, &memory->stopped)) {
    scan_parts(t, RowPlacement{a, reporter}, a.records, a.sums, &memory->scan);
  }
}

template <class Thread>
SYM_FN void row_place_entries(const Thread& t, const RowArguments& a, RowScanMemory* memory) {
  const Reporter reporter{a.status, a.pe};
  if (row_step_may_start(t, a, reporter, &memory->stopped)) {
    scan_entries(t, RowPlacement{a, reporter}, a.records, a.sums, &memory->scan);
  }
}

/// The records of a unit of the run, in shared memory of its warp: number 0 covers the unit's first word, and
/// the others start where `head` is 1.
struct RowUnit {
  uint32_t shift[kUnitWords + 1];  // of each record: word of staging minus word of the run
  uint8_t head[kUnitWords];
};

struct RowMoveMemory {
  RowUnit of_warp[kMaxRowWarps];
  uint32_t stopped;
};

/// Lists the records that start after word `begin` and before `end`; `record` covers `begin`. Returns the
/// record that covers word `end`.
template <class Thread>
SYM_FN uint32_t list_records(const Thread& t, const RowArguments& a, RowUnit* unit, uint32_t begin,
                             uint32_t end, uint32_t record, const RowPlace& place) {
  for (uint32_t w = t.lane(); w < kUnitWords; w += Thread::kLanes) {
    unit->head[w] = 0;
  }
  if (t.lane() == 0) {
    unit->shift[0] = place.source - place.start;
  }
  t.sync_warp();
  uint32_t next = record;
  for (uint32_t i = record + 1 + t.lane();; i += Thread::kLanes) {
    const bool there = i < a.records;
    const RowPlace other = there ? load_place(a, i) : RowPlace{};
    // Places ascend by one word or more; the other conditions prevent out-of-bounds accesses otherwise.
    const bool inside = there && other.start > begin && other.start < end && i - record <= kUnitWords;
    if (inside) {
      unit->head[other.start - begin] = 1;
      unit->shift[i - record] = other.source - other.start;
    }
    next += count_bits(t.ballot(there && other.start <= end));
    if (count_bits(t.ballot(inside)) != Thread::kLanes) {
      break;
    }
  }
  t.sync_warp();
  return next;
}

/// Two words of staging as a granule; words that are not requested are 0.
SYM_FN Granule load_words(const RowArguments& a, uint32_t first, uint32_t second, bool want_first,
                          bool want_second) {
  const uint64_t from = a.staging + static_cast<uint64_t>(first) * kWordBytes;
  if (want_first && want_second && second == first + 1 && first % 2 == 0) {
    return load_value<Granule>(from);
  }
  const uint64_t low = want_first ? load_value<uint64_t>(from) : 0;
  const uint64_t high =
      want_second ? load_value<uint64_t>(a.staging + static_cast<uint64_t>(second) * kWordBytes) : 0;
  return Granule{{static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), static_cast<uint32_t>(high),
                  static_cast<uint32_t>(high >> 32)}};
}

/// Moves words [begin, end) of the run, whose records are listed in `unit`: a lane loads its granules, each
/// from one or two records, and then stores them. It finds the record of each word by counting the heads up
/// to it.
template <class Thread>
SYM_FN void gather_unit(const Thread& t, const RowArguments& a, const RowUnit& unit, uint32_t begin,
                        uint32_t end, const Reporter& reporter) {
  constexpr uint32_t kLanes = Thread::kLanes;
  constexpr uint32_t kMasks = kUnitWords / kLanes;
  constexpr uint32_t kRows = kUnitGranules / kLanes;
  uint32_t heads[kMasks];
  uint32_t before[kMasks];
  uint32_t sum = 0;
  SYM_UNROLL
  for (uint32_t m = 0; m < kMasks; ++m) {
    heads[m] = t.ballot(unit.head[m * kLanes + t.lane()] != 0);
    before[m] = sum;
    sum += count_bits(heads[m]);
  }
  const bool upper = 2 * t.lane() >= kLanes;
  const uint32_t through_first = (2U << (2 * t.lane() % kLanes)) - 1;  // the bits up to the lane's first word
  const uint32_t through_second = 2 * through_first + 1;
  Granule row[kRows];
  SYM_UNROLL
  for (uint32_t r = 0; r < kRows; ++r) {
    const uint32_t bits = upper ? heads[2 * r + 1] : heads[2 * r];
    const uint32_t listed = upper ? before[2 * r + 1] : before[2 * r];
    const uint32_t word = begin + 2 * (r * kLanes + t.lane());
    const uint32_t first = word + unit.shift[listed + count_bits(bits & through_first)];
    const uint32_t second = word + 1 + unit.shift[listed + count_bits(bits & through_second)];
    const bool first_fits = first < a.words;
    const bool second_fits = second < a.words;
    if ((word < end && !first_fits) || (word + 1 < end && !second_fits)) {
      reporter.report(Code::kInvalidPlan, a.pe, a.words, first_fits ? second : first, word);
    }
    row[r] = load_words(a, first, second, word < end && first_fits, word + 1 < end && second_fits);
  }
  SYM_UNROLL
  for (uint32_t r = 0; r < kRows; ++r) {
    const uint32_t word = begin + 2 * (r * kLanes + t.lane());
    const uint64_t to = a.run + static_cast<uint64_t>(word) * kWordBytes;
    if (word + 1 < end) {
      store(to, row[r]);
    } else if (word < end) {
      store_value<uint64_t>(to, static_cast<uint64_t>(row[r].word[1]) << 32 | row[r].word[0]);
    }
  }
}

/// Moves words [begin, end) of the run, which are one unit. Returns the record that covers word `end`.
template <class Thread>
SYM_FN uint32_t move_unit(const Thread& t, const RowArguments& a, RowUnit* unit, uint32_t begin, uint32_t end,
                          uint32_t record, const Reporter& reporter) {
  const RowPlace place = load_place(a, record);
  const bool last = record + 1 >= a.records;
  const uint32_t next = last ? a.words : load_place(a, record + 1).start;
  if (next < end) {
    const uint32_t after = list_records(t, a, unit, begin, end, record, place);
    gather_unit(t, a, *unit, begin, end, reporter);
    t.sync_warp();
    return after;
  }
  // One record covers the whole unit, as is common with wide records: an ordinary copy.
  const uint32_t from = place.source + (begin - place.start);
  if (from >= a.words || end - begin > a.words - from) {
    reporter.report(Code::kInvalidPlan, a.pe, a.words, from, begin);
  } else {
    const CopyShape shape = copy_shape(a.staging + static_cast<uint64_t>(from) * kWordBytes,
                                       a.run + static_cast<uint64_t>(begin) * kWordBytes,
                                       static_cast<uint64_t>(end - begin) * kWordBytes, Remote::kDestination);
    copy_units<kCopyRows, LoadOnce>(t, shape, 0, shape.units());
  }
  return next == end && !last ? record + 1 : record;
}

/// Step 4: copies the records to their places.
template <class Thread>
SYM_FN void row_move(const Thread& t, const RowArguments& a, RowMoveMemory* memory) {
  const Reporter reporter{a.status, a.pe};
  if (!row_step_may_start(t, a, reporter, &memory->stopped)) {
    return;
  }
  RowUnit* unit = &memory->of_warp[t.thread() / Thread::kLanes];
  const uint32_t tile_words = a.tile_units * kUnitWords;
  const uint32_t tiles = divide_up(a.words, tile_words);
  for (uint32_t tile = warp_of(t); tile < tiles; tile += warps_of(t)) {
    const uint32_t tile_end = smaller(a.words, (tile + 1) * tile_words);
    uint32_t begin = tile * tile_words;
    uint32_t record =
        find_last_not_above(t, a.records, begin, [&](uint32_t i) { return load_place(a, i).start; });
    while (begin < tile_end) {
      const uint32_t end = smaller(tile_end, begin + kUnitWords);
      record = smaller(a.records - 1, move_unit(t, a, unit, begin, end, record, reporter));
      begin = end;
    }
  }
}

struct RowCrcMemory {
  crc32c::FoldTable table;
  uint32_t stopped;
};

/// Step 5: computes the checksum of each block; different warps handle its parts in different tiles.
template <class Thread>
SYM_FN void row_crc32c(const Thread& t, const RowArguments& a, RowCrcMemory* memory) {
  const Reporter reporter{a.status, a.pe};
  if (!row_step_may_start(t, a, reporter, &memory->stopped)) {
    return;
  }
  crc32c_share_table(t, &memory->table);
  const uint32_t blocks = smaller(load_u32(a.block_count, 0), a.max_blocks);
  const uint32_t units = divide_up(a.words, kUnitWords);
  const uint32_t tiles = divide_up(units, a.tile_units);
  for (uint32_t tile = warp_of(t); tile < tiles; tile += warps_of(t)) {
    const uint32_t first_unit = tile * a.tile_units;
    const uint32_t end_unit = smaller(units, first_unit + a.tile_units);
    uint32_t block = find_last_not_above(t, blocks, first_unit * kUnitWords,
                                         [&](uint32_t i) { return load_u32(a.block_starts, i); });
    for (; block < blocks; ++block) {
      const uint32_t start = load_u32(a.block_starts, block);
      const uint32_t end = load_u32(a.block_starts, block + 1);
      if (start / kUnitWords >= end_unit) {
        break;
      }
      if (start >= end || end > a.words) {
        reporter.report(Code::kInvalidPlan, a.pe, end, start, block);
        break;
      }
      const uint64_t address = a.run + static_cast<uint64_t>(start) * kWordBytes;
      const uint64_t bytes = static_cast<uint64_t>(end - start) * kWordBytes;
      // Divided at the units of the run, not at those of the block.
      CopyShape shape = copy_shape(address, address, bytes, Remote::kSource);
      shape.lead = static_cast<int32_t>(start % kUnitWords / 2);
      const uint32_t block_unit = start / kUnitWords;
      const uint32_t from = larger(first_unit, block_unit) - block_unit;
      const uint32_t to = smaller(end_unit - block_unit, shape.units());
      const uint32_t part = crc32c_of_units(t, memory->table, shape, bytes, from, to);
      if (t.lane() == 0) {
        fetch_xor_device(a.block_checksums + sizeof(uint32_t) * block, part);
      }
    }
  }
}

}  // namespace symshuffle
