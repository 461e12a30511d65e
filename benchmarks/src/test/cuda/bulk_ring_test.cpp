// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "check.h"
#include "emulation.h"
#include "pull_tma.cu"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

/// A copy engine with random timing. The bytes of a load arrive at some point between its start and the end
/// of the wait for it. The bytes of a store are read between its start and the wait that frees its stage. A
/// ring that does not wait long enough corrupts its copies.
class LazyEngine {
 public:
  LazyEngine(Random& random, uint32_t stages, uint32_t stage_bytes, uint32_t fail_at)
      : random_(random),
        stages_(stages, std::vector<uint8_t>(stage_bytes)),
        loads_of_stage_(stages),
        fail_at_(fail_at) {}

  void start_load(uint32_t stage, uint64_t source, uint32_t bytes) {
    CHECK(bytes <= stages_[stage].size(), bytes);
    ++loads_of_stage_[stage];
    loads_.push_back({stage, source, bytes});
    maybe_advance();
  }

  bool wait_for_load(uint32_t stage, uint32_t round, uint32_t) {
    CHECK(round + 1 == loads_of_stage_[stage], stage, round, loads_of_stage_[stage]);
    if (waits_++ == fail_at_) {
      return false;
    }
    while (is_loading(stage)) {
      finish_load();
    }
    maybe_advance();
    return true;
  }

  void start_store(uint32_t stage, uint64_t destination, uint32_t bytes) {
    stores_.push_back({stage, destination, bytes});
    maybe_advance();
  }

  template <uint32_t kPending>
  void wait_for_stage() {
    while (stores_.size() > kPending) {
      finish_store();
    }
  }

  void wait_for_stores() { wait_for_stage<0>(); }
  bool idle() const { return loads_.empty() && stores_.empty(); }

 private:
  struct Copy {
    uint32_t stage;
    uint64_t address;
    uint32_t bytes;
  };

  bool is_loading(uint32_t stage) const {
    for (const Copy& c : loads_) {
      if (c.stage == stage) {
        return true;
      }
    }
    return false;
  }

  void finish_load() {
    const Copy c = loads_.front();
    loads_.pop_front();
    std::memcpy(stages_[c.stage].data(), reinterpret_cast<const void*>(c.address), c.bytes);
  }

  void finish_store() {
    const Copy c = stores_.front();
    stores_.pop_front();
    std::memcpy(reinterpret_cast<void*>(c.address), stages_[c.stage].data(), c.bytes);
  }

  void maybe_advance() {
    if (!loads_.empty() && below(random_, 3) == 0) {
      finish_load();
    }
    if (!stores_.empty() && below(random_, 3) == 0) {
      finish_store();
    }
  }

  Random& random_;
  std::vector<std::vector<uint8_t>> stages_;
  std::vector<uint32_t> loads_of_stage_;
  std::deque<Copy> loads_;
  std::deque<Copy> stores_;
  uint32_t waits_ = 0;
  uint32_t fail_at_;
};

/// Lets several owners share one engine.
struct EngineReference {
  LazyEngine* engine;

  void start_load(uint32_t stage, uint64_t source, uint32_t bytes) {
    engine->start_load(stage, source, bytes);
  }
  bool wait_for_load(uint32_t stage, uint32_t round, uint32_t pe) {
    return engine->wait_for_load(stage, round, pe);
  }
  void start_store(uint32_t stage, uint64_t destination, uint32_t bytes) {
    engine->start_store(stage, destination, bytes);
  }
  template <uint32_t kPending>
  void wait_for_stage() {
    engine->wait_for_stage<kPending>();
  }
  void wait_for_stores() { engine->wait_for_stores(); }
};

constexpr uint32_t kNever = ~0U;

template <uint32_t kStages, uint32_t kLag>
void check_ring(Random& random, uint32_t pieces) {
  constexpr uint32_t kBytes = 64;
  std::vector<uint8_t> source(kBytes * pieces);
  for (auto& b : source) {
    b = static_cast<uint8_t>(random());
  }
  std::vector<uint8_t> destination(source.size());
  LazyEngine engine(random, kStages, kBytes, kNever);
  BulkPiece memory[kStages];
  BulkRing<kStages, kLag, EngineReference> ring(EngineReference{&engine}, memory);
  for (uint32_t i = 0; i < pieces; ++i) {
    const auto bytes = static_cast<uint32_t>(i + 1 == pieces ? kBytes : 1 + below(random, kBytes));
    CHECK(ring.copy(reinterpret_cast<uint64_t>(&source[i * kBytes]),
                    BulkPiece{reinterpret_cast<uint64_t>(&destination[i * kBytes]), bytes, 0}));
    std::memset(&source[i * kBytes] + bytes, 0, kBytes - bytes);
  }
  CHECK(ring.finish());
  CHECK(engine.idle());
  CHECK(source == destination, pieces, kStages, kLag);
}

TEST("the ring copies all pieces with any timing of the copies", random) {
  for (uint32_t pieces = 0; pieces < 40; ++pieces) {
    check_ring<2, 1>(random, pieces);
    check_ring<3, 1>(random, pieces);
    check_ring<3, 2>(random, pieces);
    check_ring<8, 4>(random, pieces);
    check_ring<8, 7>(random, pieces);
  }
}

struct List {
  std::vector<std::unique_ptr<Bytes>> sources;
  std::vector<std::unique_ptr<Bytes>> destinations;
  std::vector<PullDescriptor> descriptors;
  KernelStatus status{};
  uint32_t units = 0;

  List(Random& random, uint64_t pieces) {
    for (uint64_t i = 0; i < pieces; ++i) {
      const uint64_t bytes = 16 * below(random, 3000);
      sources.push_back(std::make_unique<Bytes>(random, bytes, 16 * below(random, 8)));
      destinations.push_back(std::make_unique<Bytes>(random, bytes, 16 * below(random, 8)));
      const uint64_t from = sources.back()->address();
      const uint64_t to = destinations.back()->address();
      descriptors.push_back({from, to, bytes, units, 5});
      units += copy_shape(from, to, bytes, Remote::kSource).units();
    }
  }

  void pull_all(Random& random, uint32_t ctas, uint32_t tile_units, uint32_t fail_at) {
    PullArguments a{};
    a.descriptors = reinterpret_cast<uint64_t>(descriptors.data());
    a.status = reinterpret_cast<uint64_t>(&status);
    a.descriptor_count = static_cast<uint32_t>(descriptors.size());
    a.unit_count = units;
    a.tile_units = tile_units;
    a.spans = static_cast<uint32_t>(below(random, 4));
    launch<8>(random(), ctas, 8, 0, [&](const EmulatedThread<8>& t, unsigned char*) {
      LazyEngine engine(random, kTmaStages, kTmaStageBytes, fail_at);
      BulkPiece memory[kTmaStages];
      BulkRing<kTmaStages, kTmaLag, EngineReference> ring(EngineReference{&engine}, memory);
      pull_tma(t, a, ring);
    });
  }
};

TEST("pull_tma copies a list of aligned pieces", random) {
  for (int round = 0; round < 12; ++round) {
    List list(random, below(random, 12));
    list.pull_all(random, 1 + below(random, 3), 1 + below(random, kTmaTileUnits), kNever);
    CHECK(list.status.code == 0, list.status.code);
    for (size_t i = 0; i < list.sources.size(); ++i) {
      CHECK(std::memcmp(list.sources[i]->data(), list.destinations[i]->data(), list.sources[i]->size()) == 0,
            i);
      CHECK(list.destinations[i]->fences_hold(), i);
    }
  }
}

TEST("pull_tma rejects pieces that are misaligned or too large for a stage", random) {
  List list(random, 6);
  list.pull_all(random, 1, kTmaTileUnits + 1, kNever);
  CHECK(list.status.code == static_cast<uint32_t>(Code::kInvalidArgument), list.status.code);
  list.status = {};
  while (list.descriptors[4].bytes < 64) {
    list = List(random, 6);
  }
  list.descriptors[4].bytes -= 4;
  list.pull_all(random, 2, 1, kNever);
  CHECK(list.status.code == static_cast<uint32_t>(Code::kMisaligned), list.status.code);
  CHECK(list.status.address == 4 && list.status.peer == 5, list.status.address, list.status.peer);
}

TEST("pull_tma ends when a copy never completes", random) {
  for (uint32_t fail_at = 0; fail_at < 6; ++fail_at) {
    List list(random, 8);
    list.pull_all(random, 1, 1, fail_at);
    for (const auto& d : list.destinations) {
      CHECK(d->fences_hold());
    }
  }
}

}  // namespace
}  // namespace symshuffle::test
