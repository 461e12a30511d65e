// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "check.h"
#include "emulation.h"
#include "pull.cu"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

/// Checks that loads stay in the granules that contain a byte of the piece, and that each byte is stored
/// once.
class CopyWatcher : public MemoryWatcher {
 public:
  CopyWatcher(uint64_t source, uint64_t destination, uint64_t bytes)
      : source_(source), destination_(destination), stores_(bytes) {
    memory_watcher = this;
  }
  ~CopyWatcher() override { memory_watcher = nullptr; }

  void on_load(uint64_t address, uint64_t bytes) override {
    const uint64_t end = source_ + stores_.size();
    CHECK(address + bytes > source_ && address < end, address, bytes, source_, stores_.size());
    CHECK(bytes == 16 || (address >= source_ && address + bytes <= end), address, bytes);
  }
  void on_store(uint64_t address, uint64_t bytes) override {
    for (uint64_t i = address - destination_; i < address - destination_ + bytes; ++i) {
      CHECK(i < stores_.size(), i, stores_.size());
      CHECK(stores_[i]++ == 0, i);
    }
  }
  bool all_stored() const {
    return std::all_of(stores_.begin(), stores_.end(), [](int n) { return n == 1; });
  }

 private:
  uint64_t source_;
  uint64_t destination_;
  std::vector<int> stores_;
};

/// Copies one piece with one warp, units [0, cut) and [cut, all) separately, and checks every byte.
template <uint32_t kLanes, int kRows>
void check_piece(Random& random, uint64_t bytes, uint64_t from, uint64_t to) {
  Bytes source(random, bytes, from);
  Bytes destination(random, bytes, to);
  const CopyShape shape = copy_shape(source.address(), destination.address(), bytes);
  CHECK(shape.bytes_before(0) == 0 && shape.bytes_before(shape.granules) == bytes, bytes, from, to);
  const uint32_t cut = static_cast<uint32_t>(below(random, shape.units() + 1));
  {
    CopyWatcher watcher(source.address(), destination.address(), bytes);
    launch<kLanes>(random(), 1, kLanes, 0, [&](const EmulatedThread<kLanes>& t, unsigned char*) {
      copy_units<kRows>(t, shape, 0, cut);
      copy_units<kRows>(t, shape, cut, shape.units());
    });
    CHECK(watcher.all_stored(), bytes, from, to, cut);
  }
  CHECK(std::memcmp(source.data(), destination.data(), bytes) == 0, bytes, from, to, cut);
  CHECK(source.fences_hold() && destination.fences_hold(), bytes, from, to, cut);
}

TEST("a warp copies every alignment of source and destination", random) {
  for (uint64_t from = 0; from < 16; ++from) {
    for (uint64_t to = 0; to < 16; ++to) {
      for (const uint64_t bytes : {1, 2, 15, 16, 17, 31, 33, 64, 130, 1000}) {
        check_piece<4, 4>(random, bytes, from, to);
      }
    }
  }
}

TEST("a warp copies sizes around every boundary", random) {
  for (const uint64_t edge : {16, 128, 256, 512, 1024, 2048, 4096, 6144}) {
    for (int64_t more = -17; more <= 17; more += 1 + static_cast<int64_t>(below(random, 4))) {
      const uint64_t bytes = static_cast<uint64_t>(std::max<int64_t>(1, edge + more));
      const uint64_t from = below(random, 128);
      const uint64_t to = below(random, 2) == 0 ? below(random, 128) : from % 16 + 16 * below(random, 8);
      check_piece<4, 4>(random, bytes, from, to);
      check_piece<8, 8>(random, bytes, from, to);
    }
  }
}

TEST("a warp of 32 lanes copies random pieces", random) {
  for (int i = 0; i < 40; ++i) {
    check_piece<32, 4>(random, 1 + below(random, 9000), below(random, 128), below(random, 128));
  }
}

struct List {
  std::vector<std::unique_ptr<Bytes>> sources;
  std::vector<std::unique_ptr<Bytes>> destinations;
  std::vector<PullDescriptor> descriptors;
  uint32_t units = 0;

  void add(Random& random, uint64_t bytes) {
    sources.push_back(std::make_unique<Bytes>(random, bytes, below(random, 128)));
    destinations.push_back(std::make_unique<Bytes>(random, bytes, below(random, 128)));
    const uint64_t source = sources.back()->address();
    const uint64_t destination = destinations.back()->address();
    descriptors.push_back({source, destination, bytes, units, static_cast<uint32_t>(sources.size() % 7)});
    units += copy_shape(source, destination, bytes).units();
  }

  PullArguments arguments(KernelStatus& status, uint32_t tile_units, uint32_t spans) {
    PullArguments a{};
    a.descriptors = reinterpret_cast<uint64_t>(descriptors.data());
    a.status = reinterpret_cast<uint64_t>(&status);
    a.descriptor_count = static_cast<uint32_t>(descriptors.size());
    a.unit_count = units;
    a.tile_units = tile_units;
    a.spans = spans;
    a.pe = 3;
    return a;
  }

  bool copied() {
    for (size_t i = 0; i < sources.size(); ++i) {
      if (std::memcmp(sources[i]->data(), destinations[i]->data(), sources[i]->size()) != 0 ||
          !sources[i]->fences_hold() || !destinations[i]->fences_hold()) {
        return false;
      }
    }
    return true;
  }
};

void run(Random& random, uint32_t ctas, uint32_t threads, const PullArguments& arguments) {
  launch<8>(random(), ctas, threads, 0,
            [&](const EmulatedThread<8>& t, unsigned char*) { pull(t, arguments); });
}

TEST("pull copies a list of random pieces, some of them empty", random) {
  for (int round = 0; round < 30; ++round) {
    List list;
    const uint64_t pieces = below(random, 4) == 0 ? below(random, 300) : below(random, 12);
    for (uint64_t i = 0; i < pieces; ++i) {
      const uint64_t bytes = below(random, 3) == 0 ? 0 : below(random, pieces > 20 ? 300 : 9000);
      list.add(random, bytes);
    }
    KernelStatus status{};
    run(random, 1 + below(random, 3), 8 * (1 + below(random, 3)),
        list.arguments(status, 1 + below(random, 4), below(random, 5)));
    CHECK(status.code == 0, round, status.code, status.address, status.expected, status.seen);
    CHECK(list.copied(), round);
  }
}

TEST("an inconsistent list is reported and causes no stray access", random) {
  for (int round = 0; round < 20; ++round) {
    List list;
    for (int i = 0; i < 20; ++i) {
      list.add(random, 1 + below(random, 3000));
    }
    KernelStatus status{};
    const auto broken = static_cast<uint32_t>(below(random, list.descriptors.size()));
    list.descriptors[broken].first_unit += round % 2 == 0 ? 1 : 1U << 30;
    run(random, 2, 16, list.arguments(status, 2, 1));
    CHECK(status.code == static_cast<uint32_t>(Code::kInvalidPlan), round, status.code);
    CHECK(status.pe == 3, status.pe);
    for (size_t i = 0; i < list.sources.size(); ++i) {
      CHECK(list.sources[i]->fences_hold() && list.destinations[i]->fences_hold(), i);
    }
  }
}

TEST("arguments out of range are reported", random) {
  List list;
  list.add(random, 100);
  KernelStatus status{};
  PullArguments a = list.arguments(status, 0, 1);
  run(random, 1, 8, a);
  CHECK(status.code == static_cast<uint32_t>(Code::kInvalidArgument), status.code);
  status = {};
  a = list.arguments(status, 1, 1);
  run(random, 1, 12, a);
  CHECK(status.code == static_cast<uint32_t>(Code::kInvalidArgument) && status.seen == 12, status.seen);
  status = {};
  a.unit_count += 1;
  run(random, 1, 8, a);
  CHECK(status.code == static_cast<uint32_t>(Code::kInvalidPlan), status.code);
  status = {};
  list.descriptors[0].bytes = kMaxPieceBytes + 1;
  run(random, 1, 8, list.arguments(status, 1, 1));
  CHECK(status.code == static_cast<uint32_t>(Code::kInvalidPlan), status.code);
}

TEST("the workers cover each tile once with any number of spans", random) {
  for (int round = 0; round < 3000; ++round) {
    const auto workers = static_cast<uint32_t>(1 + below(random, 70));
    const auto units = static_cast<uint32_t>(below(random, 500));
    const auto tile_units = static_cast<uint32_t>(1 + below(random, 9));
    const auto spans = static_cast<uint32_t>(below(random, 2) == 0 ? below(random, 9) : workers);
    std::vector<int> taken(divide_up(units, tile_units));
    uint64_t most = 0;
    for (uint32_t w = 0; w < workers; ++w) {
      const TileRange tiles = tiles_of(w, workers, units, tile_units, spans);
      uint64_t mine = 0;
      for (uint32_t tile = tiles.first; tile < tiles.end; tile += tiles.stride) {
        CHECK(tile < taken.size(), tile);
        ++taken[tile];
        ++mine;
      }
      most = std::max(most, mine);
    }
    for (const int n : taken) {
      CHECK(n == 1, n, workers, units, tile_units, spans);
    }
    const uint64_t parts = std::max<uint64_t>(1, std::min<uint64_t>({spans, workers, taken.size()}));
    const uint64_t fewest_workers = workers / parts;
    CHECK(most <= divide_up<uint64_t>(divide_up<uint64_t>(taken.size(), parts), fewest_workers), most);
  }
}

TEST("the warp's search finds the same as a linear search", random) {
  for (int round = 0; round < 60; ++round) {
    std::vector<PullDescriptor> list(1 + below(random, round % 3 == 0 ? 3000 : 40));
    uint32_t unit = 0;
    for (auto& d : list) {
      d.first_unit = unit;
      unit += static_cast<uint32_t>(below(random, 3));
    }
    const auto wanted = static_cast<uint32_t>(below(random, unit + 2));
    uint32_t expected = 0;
    for (uint32_t i = 0; i < list.size(); ++i) {
      expected = list[i].first_unit <= wanted ? i : expected;
    }
    launch<8>(random(), 1, 8, 0, [&](const EmulatedThread<8>& t, unsigned char*) {
      const auto found = find_descriptor(t, list.data(), static_cast<uint32_t>(list.size()), wanted);
      CHECK(found == expected, found, expected, list.size());
    });
  }
}

}  // namespace
}  // namespace symshuffle::test
