// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "layout.h"
#include "platform.h"

// Shared by the tests on the host and gpu_check.cu for row_partition: records, the launches of a run, and
// its expected result.
namespace symshuffle::row_steps {

using Random = std::mt19937_64;

/// A staging buffer, filled as the host's row writer fills it.
struct Staging {
  std::vector<uint64_t> words;
  std::vector<uint32_t> group_starts;
  std::vector<uint32_t> starts;  // of all records, and the end of the last one
  uint32_t partitions = 1;

  uint32_t records() const { return static_cast<uint32_t>(starts.size()) - 1; }

  explicit Staging(uint32_t partition_count) : starts{0}, partitions(partition_count) {}

  void add(Random& random, uint32_t partition, uint32_t length) {
    const uint32_t start = starts.back();
    if (records() % kRowGroupRecords == 0) {
      group_starts.push_back(start);
    }
    words.push_back(static_cast<uint64_t>(partition) << 32 | length);
    for (uint32_t i = 0; i < (length + 7) / 8; ++i) {
      words.push_back(random());
    }
    starts.push_back(static_cast<uint32_t>(words.size()));
  }
};

/// The expected result: a stable sort, one record after the other.
struct Expected {
  std::vector<uint64_t> run;
  std::vector<uint32_t> block_partitions;
  std::vector<uint32_t> block_starts;

  explicit Expected(const Staging& staging) {
    std::vector<uint32_t> order(staging.records());
    for (uint32_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    const auto partition_of = [&](uint32_t record) {
      return static_cast<uint32_t>(staging.words[staging.starts[record]] >> 32);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return partition_of(a) < partition_of(b); });
    for (const uint32_t record : order) {
      if (block_partitions.empty() || block_partitions.back() != partition_of(record)) {
        block_partitions.push_back(partition_of(record));
        block_starts.push_back(static_cast<uint32_t>(run.size()));
      }
      run.insert(run.end(), staging.words.begin() + staging.starts[record],
                 staging.words.begin() + staging.starts[record + 1]);
    }
    block_starts.push_back(static_cast<uint32_t>(run.size()));
  }
};

enum class Step {
  kParse,
  kCount,
  kCountParts,
  kCountEntries,
  kScatter,
  kPlaceParts,
  kPlaceEntries,
  kMove,
  kCrc32c
};

inline uint32_t bits_of(uint32_t partitions) {
  uint32_t bits = 0;
  while ((uint64_t{1} << bits) < partitions) {
    ++bits;
  }
  return bits;
}

/// The number of passes of the sort with digits of at most `max_bits` bits.
inline uint32_t passes_of(uint32_t partitions, uint32_t max_bits) {
  return divide_up(bits_of(partitions), max_bits);
}

/// Sets the sizes of a staging buffer and of its sort. The caller sets the addresses.
inline void set_sizes(RowArguments& a, const Staging& staging, uint32_t tile_records, uint32_t max_bits,
                      uint32_t max_ctas) {
  a.words = static_cast<uint32_t>(staging.words.size());
  a.records = staging.records();
  a.partitions = staging.partitions;
  a.max_blocks = std::min(a.records, a.partitions);
  a.tile_records = tile_records;
  a.tile_count = divide_up(a.records, tile_records);
  const uint32_t passes = passes_of(a.partitions, max_bits);
  a.digit_bits = passes == 0 ? 0 : divide_up(bits_of(a.partitions), passes);
  a.max_ctas = max_ctas;
}

/// Calls launch(step, arguments) for the launches of a run, in order.
template <class Launch>
void for_each_step(RowArguments a, uint32_t max_bits, uint32_t move_units, uint32_t crc_units,
                   Launch launch) {
  a.tile_units = 1;
  launch(Step::kParse, a);
  for (uint32_t pass = 0; pass < passes_of(a.partitions, max_bits); ++pass) {
    a.digit_shift = pass * a.digit_bits;
    launch(Step::kCount, a);
    launch(Step::kCountParts, a);
    launch(Step::kCountEntries, a);
    launch(Step::kScatter, a);
    std::swap(a.items, a.other);
  }
  launch(Step::kPlaceParts, a);
  launch(Step::kPlaceEntries, a);
  a.tile_units = move_units;
  launch(Step::kMove, a);
  if (crc_units != 0) {
    a.tile_units = crc_units;
    launch(Step::kCrc32c, a);
  }
}

/// Random records of `bytes` or slightly more in total, with lengths according to `kind`.
enum class Lengths { kNone, kNarrow, kWide, kMixed, kUnits };

inline Staging random_staging(Random& random, uint64_t bytes, uint32_t partitions, Lengths lengths) {
  Staging staging(partitions);
  // Some partitions are much more frequent than others, and some stay empty.
  const uint32_t favourite = static_cast<uint32_t>(random() % partitions);
  do {
    uint64_t length = 0;
    switch (lengths) {
      case Lengths::kNone:
        break;
      case Lengths::kNarrow:
        length = random() % 40;
        break;
      case Lengths::kWide:
        length = 500 + random() % 9000;
        break;
      case Lengths::kMixed:
        length = random() % 50 == 0 ? random() % 80000 : random() % 4 == 0 ? 0 : random() % 300;
        break;
      case Lengths::kUnits:  // around the boundaries of units and of short sizes
        length = 8 * (random() % 2 == 0   ? 250 + random() % 12
                      : random() % 3 == 0 ? 8188 + random() % 6
                                          : 126);
        break;
    }
    const auto partition = random() % 4 == 0 ? favourite : static_cast<uint32_t>(random() % partitions);
    staging.add(random, partition, static_cast<uint32_t>(length));
  } while (staging.words.size() * 8 < bytes);
  return staging;
}

}  // namespace symshuffle::row_steps
