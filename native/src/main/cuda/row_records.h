// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "geometry.h"
#include "layout.h"
#include "memory.h"
#include "platform.h"
#include "report.h"
#include "tuning.h"

// Records in the staging buffer, in the layout of the host's row writer, in words of 8 bytes:
//
//     0        4           8                8 + length          next multiple of 8
//     +--------+-----------+----------------+-------------------+
//     | length | partition | bytes          | padding, any bits |
//     +--------+-----------+----------------+-------------------+
//
// A record's start is known only from the record before it. For parallelism, the host provides the start of
// every 32nd record, which costs an eighth of a byte per record over PCIe and one store per 32 records; a
// list of all starts would take 4 bytes per record, a sixth of a narrow row. A thread walks the 32 headers of
// a group.
//
// An item describes a parsed record, so that only the headers of long records are read again:
//
//     63         40 39      27 26        0
//     +------------+----------+-----------+
//     | partition  | words    | start     |      words: 8191 for that many or more; start: a word of staging
//     +------------+----------+-----------+
namespace symshuffle {

inline constexpr uint32_t kWordBytes = 8;
inline constexpr uint32_t kUnitWords = kUnitBytes / kWordBytes;
inline constexpr uint32_t kRowStartBits = 27;
inline constexpr uint32_t kRowWordsBits = 13;
inline constexpr uint32_t kManyRowWords = (1U << kRowWordsBits) - 1;
static_assert(1U << kRowStartBits == kMaxRowWords);
static_assert(1ULL << (64 - kRowStartBits - kRowWordsBits) == kMaxRowPartitions);

/// Warps per CTA for which the steps have shared memory.
inline constexpr uint32_t kMaxRowWarps = kCtaThreads / 32;

SYM_CONST_FN uint64_t row_item(uint32_t partition, uint32_t words, uint32_t start) {
  return static_cast<uint64_t>(partition) << (kRowStartBits + kRowWordsBits) |
         static_cast<uint64_t>(smaller(words, kManyRowWords)) << kRowStartBits | start;
}
SYM_CONST_FN uint32_t partition_of(uint64_t item) {
  return static_cast<uint32_t>(item >> (kRowStartBits + kRowWordsBits));
}
SYM_CONST_FN uint32_t start_of(uint64_t item) {
  return static_cast<uint32_t>(item) & (kMaxRowWords - 1);
}
SYM_CONST_FN uint32_t short_words_of(uint64_t item) {
  return static_cast<uint32_t>(item >> kRowStartBits) & kManyRowWords;
}

/// The words of a record, 0 for an invalid one, and its partition.
struct RowHeader {
  uint32_t words;
  uint32_t partition;
};

/// Reads the header at a word of staging; reports a record that exceeds staging or has an invalid partition.
SYM_FN RowHeader read_row_header(const RowArguments& a, uint32_t start, const Reporter& reporter) {
  const uint32_t left = start < a.words ? a.words - start : 0;
  const uint64_t header =
      left == 0 ? 0 : load_value<uint64_t>(a.staging + static_cast<uint64_t>(start) * kWordBytes);
  const uint64_t words = 1 + divide_up(header & 0xffffffffU, static_cast<uint64_t>(kWordBytes));
  const auto partition = static_cast<uint32_t>(header >> 32);
  if (words > left || partition >= a.partitions) {
    reporter.report(Code::kDamagedRecord, a.partitions, static_cast<uint64_t>(left) * kWordBytes, header,
                    static_cast<uint64_t>(start) * kWordBytes);
    return RowHeader{0, 0};
  }
  return RowHeader{static_cast<uint32_t>(words), partition};
}

/// The words of an item's record.
SYM_FN uint32_t words_of(const RowArguments& a, uint64_t item, const Reporter& reporter) {
  const uint32_t words = short_words_of(item);
  return words < kManyRowWords ? words : read_row_header(a, start_of(item), reporter).words;
}

SYM_FN uint64_t load_item(uint64_t items, uint32_t index) {
  return load_value<uint64_t>(items + static_cast<uint64_t>(index) * sizeof(uint64_t));
}
SYM_FN void store_item(uint64_t items, uint32_t index, uint64_t item) {
  store_value<uint64_t>(items + static_cast<uint64_t>(index) * sizeof(uint64_t), item);
}
SYM_FN uint32_t load_u32(uint64_t array, uint64_t index) {
  return load_value<uint32_t>(array + index * sizeof(uint32_t));
}
SYM_FN void store_u32(uint64_t array, uint64_t index, uint32_t value) {
  store_value<uint32_t>(array + index * sizeof(uint32_t), value);
}

/// Returns whether the arguments are in range; reports the first that is not. The same on all threads of a
/// launch.
template <class Thread>
SYM_FN bool check_row_arguments(const Thread& t, const RowArguments& a, const Reporter& reporter) {
  enum Argument : uint64_t {
    kThreads,
    kWords,
    kRecords,
    kPartitions,
    kMaxBlocks,
    kTileRecords,
    kTileCount,
    kDigitShift,
    kDigitBits,
    kTileUnits,
    kCtas,
    kAlignment
  };
  uint64_t argument = 0;
  uint64_t bound = 0;
  uint64_t seen = 0;
  bool good = true;
  const auto within = [&](Argument number, uint64_t value, uint64_t least, uint64_t most) {
    if (good && (value < least || value > most)) {
      argument = number;
      bound = value < least ? least : most;
      seen = value;
      good = false;
    }
  };
  const uint64_t max_blocks = smaller(a.records, a.partitions);
  within(kThreads, t.threads() % Thread::kLanes, 0, 0);
  within(kThreads, t.threads(), Thread::kLanes, kMaxRowWarps * Thread::kLanes);
  within(kWords, a.words, 1, kMaxRowWords);
  within(kRecords, a.records, 1, a.words);
  within(kPartitions, a.partitions, 1, kMaxRowPartitions);
  within(kMaxBlocks, a.max_blocks, max_blocks, max_blocks);
  within(kTileRecords, a.tile_records, 1, kMaxRowWords);
  within(kTileCount, a.tile_count, 1, kMaxRowTiles);
  const uint64_t tiles = good ? divide_up(a.records, a.tile_records) : 1;
  within(kTileCount, a.tile_count, tiles, tiles);
  within(kDigitShift, a.digit_shift, 0, 31);
  within(kDigitBits, a.digit_bits, 0, kMaxRowDigitBits);
  within(kTileUnits, a.tile_units, 1, kMaxRowWords / kUnitWords);
  within(kCtas, t.ctas(), 1, a.max_ctas);
  within(kAlignment, (a.staging | a.run) % kGranuleBytes, 0, 0);
  if (!good) {
    reporter.report(Code::kInvalidArgument, reporter.pe, bound, seen, argument);
  }
  return good;
}

/// Returns whether a step may run: its arguments are in range and no earlier step has reported a failure. The
/// same on all threads of a CTA: one of them reads the status, since another CTA may report at any time.
/// `stopped` is in shared memory.
template <class Thread>
SYM_FN bool row_step_may_start(const Thread& t, const RowArguments& a, const Reporter& reporter,
                               uint32_t* stopped) {
  if (!check_row_arguments(t, a, reporter)) {
    return false;
  }
  if (t.thread() == 0) {
    *stopped = load_relaxed_system_u32(a.status + offsetof(KernelStatus, code));
  }
  t.sync_cta();
  return *stopped == 0;
}

/// Walks the records of one group and writes an item for each; stops at the first invalid one.
SYM_FN void parse_group(const RowArguments& a, uint32_t group, uint32_t groups, const Reporter& reporter) {
  uint32_t at = load_u32(a.group_starts, group);
  if (group == 0 && at != 0) {
    reporter.report(Code::kInvalidPlan, reporter.pe, 0, at, 0);
    return;
  }
  const uint32_t end = smaller(a.records, (group + 1) * kRowGroupRecords);
  for (uint32_t i = group * kRowGroupRecords; i < end; ++i) {
    const RowHeader header = read_row_header(a, at, reporter);
    if (header.words == 0) {
      return;
    }
    store_item(a.items, i, row_item(header.partition, header.words, at));
    at += header.words;
  }
  const uint32_t next = group + 1 < groups ? load_u32(a.group_starts, group + 1) : a.words;
  if (at != next) {
    reporter.report(Code::kInvalidPlan, reporter.pe, at, next, group + 1);
  }
}

/// Step 1: writes an item for each record, in the order of staging. Checks that every record is inside
/// staging, has a valid partition, and is followed by the next one.
template <class Thread>
SYM_FN void row_parse(const Thread& t, const RowArguments& a, uint32_t* stopped) {
  const Reporter reporter{a.status, a.pe};
  if (!row_step_may_start(t, a, reporter, stopped)) {
    return;
  }
  const uint32_t groups = divide_up(a.records, kRowGroupRecords);
  for (uint32_t g = t.cta() * t.threads() + t.thread(); g < groups; g += t.ctas() * t.threads()) {
    parse_group(a, g, groups, reporter);
  }
}

}  // namespace symshuffle
