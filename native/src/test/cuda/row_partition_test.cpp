// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "row_partition.cu"

#include <cstring>
#include <memory>
#include <vector>

#include "check.h"
#include "emulation.h"
#include "row_steps.h"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;
using row_steps::Expected;
using row_steps::Lengths;
using row_steps::Staging;
using row_steps::Step;

template <class Thread>
void do_step(Step step, const Thread& t, const RowArguments& a, unsigned char* shared) {
  auto* sort = reinterpret_cast<RowSortMemory*>(shared);
  auto* scan = reinterpret_cast<RowScanMemory*>(shared);
  switch (step) {
    case Step::kParse:
      return row_parse(t, a, reinterpret_cast<uint32_t*>(shared));
    case Step::kCount:
      return row_count(t, a, sort);
    case Step::kCountParts:
      return row_count_parts(t, a, scan);
    case Step::kCountEntries:
      return row_count_entries(t, a, scan);
    case Step::kScatter:
      return row_scatter(t, a, sort);
    case Step::kPlaceParts:
      return row_place_parts(t, a, scan);
    case Step::kPlaceEntries:
      return row_place_entries(t, a, scan);
    case Step::kMove:
      return row_move(t, a, reinterpret_cast<RowMoveMemory*>(shared));
    case Step::kCrc32c:
      return row_crc32c(t, a, reinterpret_cast<RowCrcMemory*>(shared));
  }
}

constexpr size_t kSharedBytes =
    std::max({sizeof(RowSortMemory), sizeof(RowScanMemory), sizeof(RowMoveMemory), sizeof(RowCrcMemory)});

uint32_t reference_crc32c(const uint64_t* words, uint64_t count) {
  uint32_t crc = 0xffffffffU;
  for (uint64_t i = 0; i < 8 * count; ++i) {
    crc ^= words[i / 8] >> (8 * (i % 8)) & 0xff;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
    }
  }
  return ~crc;
}

/// The shape of a run.
struct Shape {
  uint32_t tile_records;
  uint32_t max_bits;
  uint32_t ctas;
  uint32_t warps;
  uint32_t move_units;
  uint32_t crc_units;
};

Shape random_shape(Random& random) {
  const auto up_to = [&](uint32_t most) { return static_cast<uint32_t>(1 + below(random, most)); };
  return Shape{20 + up_to(700), 8 - static_cast<uint32_t>(below(random, 4)), up_to(3), up_to(3), up_to(5),
               up_to(5)};
}

/// All memory of a run. Bytes before and after a piece must not change, and no piece is zeroed at the start.
struct Memory {
  Memory(Random& random, const Staging& staging, const Shape& shape)
      : records(random, 8 * staging.words.size(), 0),
        group_starts(random, 4 * staging.group_starts.size(), 4),
        run(random, 8 * staging.words.size(), 16),
        items(random, 8ULL * staging.records(), 8),
        other(random, 8ULL * staging.records(), 8) {
    std::memcpy(records.data(), staging.words.data(), records.size());
    std::memcpy(group_starts.data(), staging.group_starts.data(), group_starts.size());
    row_steps::set_sizes(arguments, staging, shape.tile_records, shape.max_bits, shape.ctas);
    RowArguments& a = arguments;
    const auto add = [&](uint64_t bytes) {
      pieces.push_back(std::make_unique<Bytes>(random, bytes, 8));
      return pieces.back()->address();
    };
    a.staging = records.address();
    a.group_starts = group_starts.address();
    a.run = run.address();
    a.items = items.address();
    a.other = other.address();
    a.counts = add((4ULL * a.tile_count) << a.digit_bits);
    a.sums = add(8ULL * shape.ctas);
    a.block_count = add(4);
    a.block_partitions = add(4ULL * a.max_blocks);
    a.block_starts = add(4ULL * a.max_blocks + 4);
    a.block_checksums = add(4ULL * a.max_blocks);
    a.status = reinterpret_cast<uint64_t>(&status);
  }

  template <uint32_t kLanes>
  void partition(Random& random, const Shape& shape) {
    row_steps::for_each_step(
        arguments, shape.max_bits, shape.move_units, shape.crc_units,
        [&](Step step, const RowArguments& a) {
          launch<kLanes>(random(), shape.ctas, shape.warps * kLanes, kSharedBytes,
                         [&](const EmulatedThread<kLanes>& t, unsigned char* shared) {
                           do_step(step, t, a, shared);
                         });
        });
    CHECK(records.fences_hold() && group_starts.fences_hold() && run.fences_hold() && items.fences_hold() &&
          other.fences_hold());
    for (const auto& piece : pieces) {
      CHECK(piece->fences_hold());
    }
  }

  Bytes records;
  Bytes group_starts;
  Bytes run;
  Bytes items;
  Bytes other;
  std::vector<std::unique_ptr<Bytes>> pieces;
  RowArguments arguments{};
  KernelStatus status{};
};

template <uint32_t kLanes>
void check(Random& random, const Staging& staging) {
  const Shape shape = random_shape(random);
  const Expected expected(staging);
  Memory memory(random, staging, shape);
  memory.partition<kLanes>(random, shape);
  const KernelStatus& s = memory.status;
  CHECK(s.code == 0, s.code, s.expected, s.seen, s.address);
  const uint32_t blocks = load_u32(memory.arguments.block_count, 0);
  CHECK(blocks == expected.block_partitions.size(), blocks, expected.block_partitions.size());
  for (uint32_t i = 0; i < blocks; ++i) {
    const uint32_t start = load_u32(memory.arguments.block_starts, i);
    const uint32_t crc = load_u32(memory.arguments.block_checksums, i);
    CHECK(load_u32(memory.arguments.block_partitions, i) == expected.block_partitions[i], i);
    CHECK(start == expected.block_starts[i], i, start, expected.block_starts[i]);
    CHECK(crc == reference_crc32c(&expected.run[start], expected.block_starts[i + 1] - start), i, start, crc);
  }
  CHECK(load_u32(memory.arguments.block_starts, blocks) == expected.run.size());
  const auto* run = reinterpret_cast<const uint64_t*>(memory.run.data());
  for (size_t i = 0; i < expected.run.size(); ++i) {
    CHECK(run[i] == expected.run[i], i, expected.run.size());
  }
}

TEST("narrow, wide, mixed and empty records become a run, for any number of partitions", random) {
  for (const Lengths lengths :
       {Lengths::kNone, Lengths::kNarrow, Lengths::kWide, Lengths::kMixed, Lengths::kUnits}) {
    for (const uint32_t partitions : {1U, 2U, 7U, 200U, 4000U, 100000U, kMaxRowPartitions}) {
      const uint64_t most = lengths == Lengths::kNone ? 4000 : lengths == Lengths::kNarrow ? 12000 : 40000;
      check<8>(random, row_steps::random_staging(random, below(random, most), partitions, lengths));
    }
  }
}

TEST("records become a run with the warps of a GPU", random) {
  check<32>(random, row_steps::random_staging(random, 20000, 70000, Lengths::kMixed));
  check<32>(random, row_steps::random_staging(random, 8000, 300, Lengths::kNarrow));
}

TEST("one giant record becomes a run, alone and among others", random) {
  for (int round = 0; round < 4; ++round) {
    Staging staging(3);
    for (uint64_t i = below(random, 70) * (round % 2); i != 0; --i) {
      staging.add(random, static_cast<uint32_t>(below(random, 3)), 13);
    }
    staging.add(random, 1, static_cast<uint32_t>(60000 + below(random, 20000)));
    for (uint64_t i = below(random, 70) * (round % 2); i != 0; --i) {
      staging.add(random, static_cast<uint32_t>(below(random, 3)), 13);
    }
    check<8>(random, staging);
  }
}

TEST("full groups, tiles and units end where the records end", random) {
  for (const uint32_t records : {1U, 31U, 32U, 33U, 255U, 256U, 257U, 512U}) {
    Staging staging(5);
    for (uint32_t i = 0; i < records; ++i) {
      staging.add(random, static_cast<uint32_t>(below(random, 5)), 0);
    }
    check<4>(random, staging);
  }
}

/// The status after a run of damaged records. Nothing outside the run's memory may be accessed.
KernelStatus run_damaged(Random& random, const Staging& staging) {
  const Shape shape = random_shape(random);
  Memory memory(random, staging, shape);
  memory.partition<8>(random, shape);
  return memory.status;
}

TEST("a damaged header or list of groups is reported", random) {
  for (int round = 0; round < 15; ++round) {
    Staging staging = row_steps::random_staging(random, 4000, 50, Lengths::kNarrow);
    const uint32_t start = staging.starts[below(random, staging.records())];
    uint64_t& header = staging.words[start];
    uint32_t& group = staging.group_starts[below(random, staging.group_starts.size())];
    Code expected = Code::kDamagedRecord;
    switch (round % 5) {
      case 0:  // longer than the buffer, up to the longest length that fits into the field
        header |= uint64_t{0x80000000U} >> below(random, 17);
        break;
      case 1:
        header = (header & 0xffffffffU) | (50 + below(random, 1000000)) << 32;
        break;
      case 2:
        header |= 0xffffffff00000000U;
        break;
      case 3:
        group += static_cast<uint32_t>(1 + below(random, 5));
        expected = Code::kInvalidPlan;
        break;
      default:
        group = 0xffffffffU - static_cast<uint32_t>(below(random, 1000));
        break;
    }
    const KernelStatus s = run_damaged(random, staging);
    // A wrong list of groups may also be reported as a damaged record.
    const bool known = s.code == static_cast<uint32_t>(Code::kDamagedRecord) ||
                       s.code == static_cast<uint32_t>(Code::kInvalidPlan);
    CHECK(round % 5 < 3 ? s.code == static_cast<uint32_t>(expected) : known, round, s.code);
    if (round % 5 == 0) {
      CHECK(s.address == 8ULL * start && s.seen == header && s.expected == 8 * (staging.words.size() - start),
            s.address, s.seen, s.expected);
      CHECK(s.peer == 50);
    }
  }
}

TEST("a group that starts at a record of another group is reported", random) {
  Staging staging(9);
  for (uint32_t i = 0; i < 5 * kRowGroupRecords; ++i) {
    staging.add(random, static_cast<uint32_t>(below(random, 9)), 8);
  }
  // All records have the same length, so nothing else reveals that one is missing and one is duplicated.
  staging.group_starts[2] += 2;
  const KernelStatus s = run_damaged(random, staging);
  CHECK(s.code == static_cast<uint32_t>(Code::kInvalidPlan), s.code);
  CHECK((s.address == 2 && s.seen == s.expected + 2) || (s.address == 3 && s.seen + 2 == s.expected), s.address);
}

TEST("random damage is reported or harmless", random) {
  int reported = 0;
  for (int round = 0; round < 20; ++round) {
    Staging staging = row_steps::random_staging(random, 3000, 300, Lengths::kMixed);
    for (uint64_t flips = 1 + below(random, 3); flips != 0; --flips) {
      if (below(random, 4) == 0) {
        staging.group_starts[below(random, staging.group_starts.size())] ^= 1U << below(random, 32);
      } else {
        staging.words[staging.starts[below(random, staging.records())]] ^= uint64_t{1} << below(random, 64);
      }
    }
    reported += run_damaged(random, staging).code != 0 ? 1 : 0;
  }
  CHECK(reported > 5, reported);
}

TEST("the steps after a reported error change nothing", random) {
  const Staging staging = row_steps::random_staging(random, 5000, 20, Lengths::kNarrow);
  const Shape shape = random_shape(random);
  Memory memory(random, staging, shape);
  memory.status.code = static_cast<uint32_t>(Code::kInvalidPlan);
  const std::vector<uint8_t> before(memory.run.data(), memory.run.data() + memory.run.size());
  const std::vector<uint8_t> items(memory.items.data(), memory.items.data() + memory.items.size());
  memory.partition<8>(random, shape);
  CHECK(std::memcmp(before.data(), memory.run.data(), before.size()) == 0);
  CHECK(std::memcmp(items.data(), memory.items.data(), items.size()) == 0);
}

TEST("damaged temporary memory causes no access outside the run", random) {
  for (int round = 0; round < 16; ++round) {
    const Staging staging = row_steps::random_staging(random, 3000, 300, Lengths::kMixed);
    Shape shape = random_shape(random);
    Memory memory(random, staging, shape);
    int steps = 0;
    const auto hit = static_cast<int>(below(random, 12));
    row_steps::for_each_step(
        memory.arguments, shape.max_bits, shape.move_units, shape.crc_units,
        [&](Step step, const RowArguments& a) {
          if (++steps == hit) {
            for (int i = 0; i < 20; ++i) {
              store_item(a.items, static_cast<uint32_t>(below(random, a.records)), random());
              store_item(a.other, static_cast<uint32_t>(below(random, a.records)), random());
              store_u32(a.counts, below(random, static_cast<uint64_t>(a.tile_count) << a.digit_bits),
                        static_cast<uint32_t>(random()));
              store_u32(a.block_starts, below(random, a.max_blocks + 1), static_cast<uint32_t>(random()));
            }
            store_u32(a.block_count, 0, static_cast<uint32_t>(random()));
          }
          launch<8>(random(), shape.ctas, shape.warps * 8, kSharedBytes,
                    [&](const EmulatedThread<8>& t, unsigned char* shared) { do_step(step, t, a, shared); });
        });
    CHECK(memory.run.fences_hold() && memory.items.fences_hold() && memory.other.fences_hold());
    for (const auto& piece : memory.pieces) {
      CHECK(piece->fences_hold());
    }
  }
}

TEST("arguments out of range are reported by every step", random) {
  const Staging staging = row_steps::random_staging(random, 3000, 20, Lengths::kNarrow);
  const Shape shape{64, 8, 2, 2, 2, 2};
  const std::vector<void (*)(RowArguments&)> faults = {
      [](RowArguments& a) { a.words = kMaxRowWords + 1; }, [](RowArguments& a) { a.records = 0; },
      [](RowArguments& a) { a.records = a.words + 1; },     [](RowArguments& a) { a.partitions = 0; },
      [](RowArguments& a) { a.partitions = ~0U; },          [](RowArguments& a) { ++a.max_blocks; },
      [](RowArguments& a) { ++a.tile_count; },              [](RowArguments& a) { a.tile_records = 0; },
      [](RowArguments& a) { a.digit_bits = 9; },            [](RowArguments& a) { a.digit_shift = 32; },
      [](RowArguments& a) { a.tile_units = 0; },            [](RowArguments& a) { a.max_ctas = 1; },
      [](RowArguments& a) { a.run += 8; }};
  for (const auto fault : faults) {
    for (int step = 0; step <= static_cast<int>(Step::kCrc32c); ++step) {
      Memory memory(random, staging, shape);
      RowArguments a = memory.arguments;
      a.tile_units = 1;
      fault(a);
      launch<8>(random(), shape.ctas, shape.warps * 8, kSharedBytes,
                [&](const EmulatedThread<8>& t, unsigned char* shared) {
                  do_step(static_cast<Step>(step), t, a, shared);
                });
      CHECK(memory.status.code == static_cast<uint32_t>(Code::kInvalidArgument), step, memory.status.code);
    }
  }
}

}  // namespace
}  // namespace symshuffle::test
