// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "all_reduce.cu"
#include "check.h"
#include "emulation.h"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;

constexpr uint64_t kControlBytes = kMaxReduceCtas * kFlagBytes;
constexpr uint64_t kSecond = 1'000'000'000;

/// GPUs with memory of one PE each. Each GPU is a thread.
class Group {
 public:
  Group(Random& random, uint32_t pes, uint64_t bytes) : random_(random), statuses_(pes) {
    for (uint32_t pe = 0; pe < pes; ++pe) {
      memories_.push_back(std::make_unique<Bytes>(random, kControlBytes + bytes, 0));
      std::memset(memories_.back()->data(), 0, kControlBytes);
      addresses_.push_back(memories_.back()->address());
    }
  }

  uint8_t* data(uint32_t pe) { return memories_[pe]->data() + kControlBytes; }
  const KernelStatus& status(uint32_t pe) const { return statuses_[pe]; }
  bool fences_hold() const {
    return std::all_of(memories_.begin(), memories_.end(), [](const auto& m) { return m->fences_hold(); });
  }
  void stop() { stop_ = 1; }

  /// Runs the kernel on some PEs at the same time, until it is done on all of them.
  void run(const std::vector<uint32_t>& pes, AllReduceArguments a, uint32_t ctas) {
    statuses_.assign(statuses_.size(), {});
    generation_ += 1ULL << 32;
    a.offset += kControlBytes;
    std::vector<std::thread> gpus;
    for (const uint32_t pe : pes) {
      a.memories = reinterpret_cast<uint64_t>(addresses_.data());
      a.status = reinterpret_cast<uint64_t>(&statuses_[pe]);
      a.stop = reinterpret_cast<uint64_t>(&stop_);
      a.generation = generation_;
      a.pe_count = static_cast<uint32_t>(memories_.size());
      a.pe = pe;
      gpus.emplace_back([a, ctas, seed = random_()] {
        emulation::launch<4>(seed, ctas, 8, sizeof(AllReduceMemory),
                             [&](const EmulatedThread<4>& t, unsigned char* shared) {
                               all_reduce(t, a, reinterpret_cast<AllReduceMemory*>(shared));
                             });
      });
    }
    for (auto& gpu : gpus) {
      gpu.join();
    }
  }

 private:
  Random& random_;
  std::vector<std::unique_ptr<Bytes>> memories_;
  std::vector<uint64_t> addresses_;
  std::vector<KernelStatus> statuses_;
  uint64_t generation_ = 0;
  uint64_t stop_ = 0;
};

std::vector<uint32_t> all(uint32_t pes) {
  std::vector<uint32_t> numbers(pes);
  for (uint32_t i = 0; i < pes; ++i) {
    numbers[i] = i;
  }
  return numbers;
}

template <class Value>
Value random_value(Random& random) {
  if constexpr (std::is_floating_point_v<Value>) {
    switch (below(random, 20)) {
      case 0:
        return static_cast<Value>(0.0);
      case 1:
        return static_cast<Value>(-0.0);
      case 2:
        return std::numeric_limits<Value>::infinity();
      case 3:
        return std::numeric_limits<Value>::quiet_NaN();
      default:
        return static_cast<Value>(static_cast<int64_t>(random())) * static_cast<Value>(1e-10);
    }
  } else {
    return static_cast<Value>(random());
  }
}

/// As Java's operators and Math.min and Math.max.
template <class Value>
Value reference(ReductionKind kind, Value a, Value b) {
  if constexpr (std::is_floating_point_v<Value>) {
    if (kind == ReductionKind::kSum) {
      return a + b;
    }
    if (std::isnan(a) || std::isnan(b)) {
      return std::numeric_limits<Value>::quiet_NaN();
    }
    const bool b_is_larger = a < b || (a == b && std::signbit(a) && !std::signbit(b));
    return b_is_larger == (kind == ReductionKind::kMax) ? b : a;
  } else {
    using Unsigned = std::make_unsigned_t<Value>;
    if (kind == ReductionKind::kSum) {
      return static_cast<Value>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    }
    return kind == ReductionKind::kMax ? std::max(a, b) : std::min(a, b);
  }
}

template <class Value>
void check_reduction(Random& random, ReducedType type, uint32_t pes, uint64_t first, uint64_t count) {
  constexpr uint64_t kMore = 40;  // elements around the reduced ones
  Group group(random, pes, (first + count + kMore) * sizeof(Value));
  for (const ReductionKind kind : {ReductionKind::kSum, ReductionKind::kMin, ReductionKind::kMax}) {
    for (const uint32_t shots : {1U, 2U}) {
      std::vector<std::vector<Value>> before(pes, std::vector<Value>(first + count + kMore));
      for (uint32_t pe = 0; pe < pes; ++pe) {
        for (Value& value : before[pe]) {
          value = random_value<Value>(random);
        }
        std::memcpy(group.data(pe), before[pe].data(), before[pe].size() * sizeof(Value));
      }
      AllReduceArguments a{};
      a.offset = first * sizeof(Value);
      a.count = count;
      a.limit_nanoseconds = 100 * kSecond;
      a.type = static_cast<uint32_t>(type);
      a.reduction = static_cast<uint32_t>(kind);
      a.shots = shots;
      group.run(all(pes), a, 1 + static_cast<uint32_t>(below(random, 3)));
      for (uint64_t i = 0; i < before[0].size(); ++i) {
        Value expected = before[0][i];
        for (uint32_t pe = 1; pe < pes; ++pe) {
          expected = reference(kind, expected, before[pe][i]);
        }
        for (uint32_t pe = 0; pe < pes; ++pe) {
          Value seen;
          std::memcpy(&seen, group.data(pe) + i * sizeof(Value), sizeof(Value));
          Value wanted = first <= i && i < first + count ? expected : before[pe][i];
          const bool equal = std::memcmp(&seen, &wanted, sizeof(Value)) == 0;
          // Which NaN is not defined, but it is the same on all PEs.
          const bool same = std::memcmp(&seen, group.data(0) + i * sizeof(Value), sizeof(Value)) == 0;
          CHECK(equal || (wanted != wanted && seen != seen && same), pes, first, count, i, pe, shots, seen, wanted);
        }
      }
      for (uint32_t pe = 0; pe < pes; ++pe) {
        CHECK(group.status(pe).code == 0, pe);
      }
    }
  }
  CHECK(group.fences_hold(), pes, first, count);
}

TEST("an all-reduce has the values of a loop over the PEs on all of 1 to 5 PEs", random) {
  for (uint32_t pes = 1; pes <= 5; ++pes) {
    for (const uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{2}, 3 + below(random, 30), 200 + below(random, 2000)}) {
      const uint64_t first = below(random, 9);
      check_reduction<float>(random, ReducedType::kFloat, pes, first, count);
      check_reduction<double>(random, ReducedType::kDouble, pes, first, count);
      check_reduction<int32_t>(random, ReducedType::kInt, pes, first, count);
      check_reduction<int64_t>(random, ReducedType::kLong, pes, first, count);
    }
  }
}

AllReduceArguments ints(uint64_t count, uint32_t shots, uint64_t limit) {
  AllReduceArguments a{};
  a.count = count;
  a.limit_nanoseconds = limit;
  a.type = static_cast<uint32_t>(ReducedType::kInt);
  a.shots = shots;
  return a;
}

TEST("all-reduces follow each other without a reset", random) {
  constexpr uint32_t kPes = 3;
  constexpr uint64_t kCount = 500;
  Group group(random, kPes, kCount * sizeof(uint32_t));
  uint32_t expected = 0;
  for (uint32_t pe = 0; pe < kPes; ++pe) {
    std::vector<uint32_t> values(kCount, pe + 1);
    std::memcpy(group.data(pe), values.data(), kCount * sizeof(uint32_t));
    expected += pe + 1;
  }
  for (int round = 0; round < 10; ++round) {
    group.run(all(kPes), ints(kCount, 1 + round % 2, 100 * kSecond), 1 + static_cast<uint32_t>(below(random, 3)));
    for (uint32_t pe = 0; pe < kPes; ++pe) {
      for (uint64_t i = 0; i < kCount; ++i) {
        uint32_t seen;
        std::memcpy(&seen, group.data(pe) + i * sizeof seen, sizeof seen);
        CHECK(seen == expected, round, pe, i, seen, expected);
      }
    }
    expected *= kPes;
  }
}

TEST("an all-reduce that a PE does not join names it after the limit", random) {
  for (const uint32_t shots : {1U, 2U}) {
    Group group(random, 3, 400);
    group.run({0, 2}, ints(100, shots, kSecond / 5), 2);
    for (const uint32_t pe : {0U, 2U}) {
      CHECK(group.status(pe).code == static_cast<uint32_t>(Code::kLatePe), pe);
      CHECK(group.status(pe).pe == pe && group.status(pe).peer == 1, group.status(pe).peer);
      CHECK(group.status(pe).seen == 0 && group.status(pe).expected == (1ULL << 32) + 1, group.status(pe).expected);
    }
    CHECK(group.fences_hold(), shots);
  }
}

TEST("an all-reduce ends early when the host says so", random) {
  Group group(random, 2, 400);
  group.stop();
  group.run({1}, ints(100, 2, 1000 * kSecond), 2);
  CHECK(group.status(1).code == static_cast<uint32_t>(Code::kLatePe));
  CHECK(group.status(1).peer == 0);
}

}  // namespace
}  // namespace symshuffle::test
