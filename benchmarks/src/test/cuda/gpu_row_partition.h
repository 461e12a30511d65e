// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu_correctness.h"
#include "gpu_pes.h"
#include "gpu_rates.h"
#include "row_steps.h"

// Checks row_partition on a GPU and times its steps, for gpu_check.cu.
namespace symshuffle::gpu_check {

/// All memory of a run. Temporary memory contains random bytes at the start.
struct RowWork {
  RowWork(Random& random, const Pe& pe, const row_steps::Staging& staging, uint32_t tile_records,
          uint32_t max_bits, uint32_t max_ctas)
      : pe(pe),
        records(pe, staging.words),
        group_starts(pe, staging.group_starts),
        run(pe, random_words(random, staging.words.size())),
        items(pe, random_words(random, staging.records())),
        other(pe, random_words(random, staging.records())),
        sums(pe, max_ctas) {
    row_steps::set_sizes(arguments, staging, tile_records, max_bits, max_ctas);
    RowArguments& a = arguments;
    tables.emplace_back(pe, static_cast<uint64_t>(a.tile_count) << a.digit_bits);
    const uint64_t blocks = a.max_blocks;
    for (const uint64_t count : {uint64_t{1}, blocks, blocks + 1, blocks}) {
      tables.emplace_back(pe, std::vector<uint32_t>(count, ~0U));
    }
    a.staging = records.address();
    a.group_starts = group_starts.address();
    a.run = run.address();
    a.items = items.address();
    a.other = other.address();
    a.sums = sums.address();
    a.counts = tables[0].address();
    a.block_count = tables[1].address();
    a.block_partitions = tables[2].address();
    a.block_starts = tables[3].address();
    a.block_checksums = tables[4].address();
    a.status = address_of(pe.status);
  }

  static std::vector<uint64_t> random_words(Random& random, uint64_t count) {
    const uint64_t start = random();
    std::vector<uint64_t> words(count);
    for (uint64_t i = 0; i < count; ++i) {
      words[i] = (start + i) * 0x9e3779b97f4a7c15ULL;
    }
    return words;
  }

  const Pe& pe;
  Device<uint64_t> records;
  Device<uint32_t> group_starts;
  Device<uint64_t> run;
  Device<uint64_t> items;
  Device<uint64_t> other;
  Device<uint64_t> sums;
  std::vector<Device<uint32_t>> tables;
  RowArguments arguments{};
};

inline void launch_step(row_steps::Step step, const Pe& pe, uint32_t ctas, uint32_t threads,
                        const RowArguments& a) {
  using row_steps::Step;
  pe.use();
  switch (step) {
    case Step::kParse:
      symshuffle_row_parse<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Step::kCount:
      symshuffle_row_count<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Step::kCountParts:
      symshuffle_row_count_parts<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Step::kCountEntries:
      symshuffle_row_count_entries<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Step::kScatter:
      symshuffle_row_scatter<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Step::kPlaceParts:
      symshuffle_row_place_parts<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Step::kPlaceEntries:
      symshuffle_row_place_entries<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Step::kMove:
      symshuffle_row_move<<<ctas, threads, 0, pe.stream>>>(a);
      break;
    case Step::kCrc32c:
      symshuffle_row_crc32c<<<ctas, threads, 0, pe.stream>>>(a);
      break;
  }
}

inline void expect_run(const RowWork& work, const row_steps::Staging& staging, const std::string& what) {
  const row_steps::Expected expected(staging);
  expect_ok(work.pe, what);
  const uint32_t blocks = work.tables[1].read()[0];
  if (blocks != expected.block_partitions.size()) {
    expect(false, what + ": " + std::to_string(blocks) + " blocks");
    return;
  }
  std::vector<uint32_t> partitions = work.tables[2].read();
  std::vector<uint32_t> starts = work.tables[3].read();
  std::vector<uint32_t> checksums = work.tables[4].read();
  partitions.resize(blocks);
  starts.resize(blocks + 1);
  checksums.resize(blocks);
  std::vector<uint32_t> expected_checksums;
  for (uint32_t i = 0; i < blocks; ++i) {
    const uint64_t start = expected.block_starts[i];
    expected_checksums.push_back(reference_crc32c(reinterpret_cast<const uint8_t*>(&expected.run[start]),
                                                  8 * (expected.block_starts[i + 1] - start)));
  }
  const std::vector<uint64_t> run = work.run.read();
  const auto at = std::mismatch(run.begin(), run.end(), expected.run.begin()).first - run.begin();
  expect(run == expected.run, what + ": first difference at word " + std::to_string(at));
  expect(partitions == expected.block_partitions, what + ": partitions");
  expect(starts == expected.block_starts, what + ": starts");
  expect(checksums == expected_checksums, what + ": checksums");
}

inline void check_run(Random& random, const Pe& pe, const row_steps::Staging& staging) {
  const auto up_to = [&](uint32_t most) { return static_cast<uint32_t>(1 + below(random, most)); };
  const uint32_t ctas = up_to(40);
  const uint32_t threads = 32 * up_to(kCtaThreads / 32);
  const uint32_t max_bits = 9 - up_to(4);
  const uint32_t tile_records = divide_up(staging.records(), kMaxRowTiles) + up_to(2000);
  RowWork work(random, pe, staging, tile_records, max_bits, ctas);
  const std::string what = "row_partition of " + std::to_string(staging.records()) + " records, " +
                           std::to_string(staging.partitions) + " partitions, " + std::to_string(ctas) +
                           " CTAs of " + std::to_string(threads);
  pe.clear_status();
  row_steps::for_each_step(
      work.arguments, max_bits, up_to(8), up_to(16),
      [&](row_steps::Step step, const RowArguments& a) { launch_step(step, pe, ctas, threads, a); });
  expect_run(work, staging, what);
}

/// Checks that damage is reported. compute-sanitizer detects accesses outside the run's memory.
inline void check_damaged_rows(Random& random, const Pe& pe) {
  for (int round = 0; round < 10; ++round) {
    row_steps::Staging staging = row_steps::random_staging(random, 20000, 300, row_steps::Lengths::kMixed);
    const uint32_t start = staging.starts[below(random, staging.records())];
    if (round % 2 == 0) {
      staging.words[start] |= 0x80000000U;
    } else {
      const uint64_t group = below(random, staging.group_starts.size());
      staging.group_starts[group] += static_cast<uint32_t>(1 + below(random, 1000));
    }
    RowWork work(random, pe, staging, 256, 8, 8);
    pe.clear_status();
    row_steps::for_each_step(
        work.arguments, 8, 2, 2,
        [&](row_steps::Step step, const RowArguments& a) { launch_step(step, pe, 8, 256, a); });
    const KernelStatus s = pe.read_status();
    expect(s.code == static_cast<uint32_t>(Code::kDamagedRecord) ||
                (round % 2 == 1 && s.code == static_cast<uint32_t>(Code::kInvalidPlan)),
           "damaged records are reported, not code " + std::to_string(s.code));
  }
}

inline void check_row_partition(Random& random, const std::vector<Pe>& pes) {
  using row_steps::Lengths;
  const Pe& pe = pes[0];
  for (const Lengths lengths :
       {Lengths::kNone, Lengths::kNarrow, Lengths::kWide, Lengths::kMixed, Lengths::kUnits}) {
    for (const uint32_t partitions : {1U, 2U, 200U, 4000U, 100000U, kMaxRowPartitions}) {
      check_run(random, pe, row_steps::random_staging(random, below(random, 3 << 20), partitions, lengths));
    }
  }
  row_steps::Staging giant(7);
  giant.add(random, 3, (8 << 20) + 3);
  check_run(random, pe, giant);
  check_damaged_rows(random, pe);
}

/// Prints the microseconds of each step and the GB/s of all steps, with the launch shapes of
/// RowPartitionPlan.
inline void rate_row_partition(const std::vector<Pe>& pes) {
  using row_steps::Step;
  const Pe& pe = pes[0];
  const auto two = static_cast<uint32_t>(2 * pe.multiprocessors);
  Random random(1);
  std::printf("\nrow_partition, microseconds per step (for the sort: of its last pass) and GB/s of records\n");
  std::printf("%8s %6s %10s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "MiB", "bytes", "partitions", "parse",
              "count", "parts", "entries", "scatter", "parts", "entries", "move", "crc32c", "GB/s");
  for (const uint64_t mebibytes : {16, 128}) {
    for (const uint32_t size : {24U, 104U, 1000U}) {
      for (const uint32_t partitions : {200U, 4000U, 100000U}) {
        row_steps::Staging staging(partitions);
        while (staging.words.size() * 8 < mebibytes << 20) {
          staging.add(random, static_cast<uint32_t>(below(random, partitions)), size - 8);
        }
        const uint32_t warps = two * (kCtaThreads / 32);
        const uint32_t tile_records = divide_up(divide_up(staging.records(), warps), 128U) * 128;
        RowWork work(random, pe, staging, tile_records, kMaxRowDigitBits, 2 * two);
        const uint32_t units = divide_up(work.arguments.words, kUnitWords);
        const uint32_t move_units = std::clamp(units / warps, 1U, 8U);
        const uint32_t crc_units = std::clamp(units / warps, 1U, 16U);
        std::vector<std::pair<Step, RowArguments>> steps;
        row_steps::for_each_step(work.arguments, kMaxRowDigitBits, move_units, crc_units,
                                 [&](Step step, const RowArguments& a) { steps.emplace_back(step, a); });
        const auto ctas_of = [&](Step step) {
          const RowArguments& a = work.arguments;
          uint32_t wanted = two;
          if (step == Step::kParse) {
            return std::clamp(divide_up(divide_up(a.records, kRowGroupRecords), kCtaThreads), 1U, 2 * two);
          } else if (step == Step::kCount || step == Step::kScatter) {
            wanted = divide_up(a.tile_count, kCtaThreads / 32);
          } else if (step == Step::kCountParts || step == Step::kCountEntries) {
            wanted = divide_up(a.tile_count << a.digit_bits, kCtaThreads * kScanValues);
          } else if (step == Step::kPlaceParts || step == Step::kPlaceEntries) {
            wanted = divide_up(a.records, kCtaThreads * kScanValues);
          } else {
            const uint32_t tiles = divide_up(units, step == Step::kMove ? move_units : crc_units);
            wanted = divide_up(tiles, kCtaThreads / 32);
          }
          return std::clamp(wanted, 1U, two);
        };
        const auto run_step = [&](const std::pair<Step, RowArguments>& step) {
          launch_step(step.first, pe, ctas_of(step.first), kCtaThreads, step.second);
        };
        // The rate is that of rounds without events between the steps. A last round with events times the
        // steps.
        constexpr int kRounds = 5;
        std::vector<cudaEvent_t> events(steps.size() + 3);
        pe.use();
        for (cudaEvent_t& event : events) {
          CUDA(cudaEventCreate(&event));
        }
        pe.clear_status();
        for (int round = 0; round <= kRounds; ++round) {
          if (round == 1) {
            CUDA(cudaEventRecord(events[steps.size() + 1], pe.stream));
          }
          for (const auto& step : steps) {
            run_step(step);
          }
        }
        CUDA(cudaEventRecord(events[steps.size() + 2], pe.stream));
        CUDA(cudaEventRecord(events[0], pe.stream));
        for (size_t i = 0; i < steps.size(); ++i) {
          run_step(steps[i]);
          CUDA(cudaEventRecord(events[i + 1], pe.stream));
        }
        expect_run(work, staging, "row_partition at full size");
        std::printf("%8llu %6u %10u", static_cast<unsigned long long>(mebibytes), size, partitions);
        // Each run starts with parse and ends with four steps. The four before those are the last pass.
        float milliseconds = 0;
        for (size_t i = 0; i < steps.size(); ++i) {
          if (i == 0 || i + 8 >= steps.size()) {
            CUDA(cudaEventElapsedTime(&milliseconds, events[i], events[i + 1]));
            std::printf(" %8.1f", 1000.0 * milliseconds);
          }
        }
        CUDA(cudaEventElapsedTime(&milliseconds, events[steps.size() + 1], events[steps.size() + 2]));
        const double bytes = 8.0 * kRounds * static_cast<double>(staging.words.size());
        std::printf(" %8.1f\n", bytes / milliseconds / 1e6);
        std::fflush(stdout);
        for (const cudaEvent_t event : events) {
          CUDA(cudaEventDestroy(event));
        }
      }
    }
  }
}

}  // namespace symshuffle::gpu_check
