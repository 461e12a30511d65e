// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <memory>
#include <vector>

#include "check.h"
#include "device_pull.cu"
#include "emulation.h"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

/// The heaps of several PEs in one process. memcpy replaces NVSHMEM's transports.
struct Heaps {
  std::vector<std::unique_ptr<Bytes>> of_pe;
  uint64_t gets = 0;

  uint64_t base(uint32_t pe) const { return of_pe[pe]->address(); }
};

struct CopyingTransport {
  static constexpr uint32_t kStateVersion = 1;
  Heaps* heaps;
  const std::vector<bool>* has_mapped;
  uint32_t version;

  uint32_t state_version() const { return version; }

  uint64_t mapped(uint64_t remote, uint32_t pe) const {
    return (*has_mapped)[pe] ? heaps->base(pe) + (remote - heaps->base(0)) : 0;
  }

  void get(uint64_t remote, uint64_t local, uint64_t bytes, uint32_t pe) const {
    ++heaps->gets;
    const uint64_t offset = remote - heaps->base(0);
    CHECK(bytes != 0 && offset + bytes <= heaps->of_pe[pe]->size(), offset, bytes);
    std::memcpy(reinterpret_cast<void*>(local), reinterpret_cast<const void*>(heaps->base(pe) + offset),
                bytes);
  }
};

TEST("device_pull copies nothing if the NVSHMEM state is not initialized", random) {
  Heaps heaps;
  const std::vector<bool> none;
  heaps.of_pe.push_back(std::make_unique<Bytes>(random, 64, 0));
  PullDescriptor piece{heaps.base(0), heaps.base(0) + 32, 16, 0, 0};
  uint64_t peer = 0;
  KernelStatus status{};
  DevicePullArguments a{};
  a.pull.descriptors = reinterpret_cast<uint64_t>(&piece);
  a.pull.status = reinterpret_cast<uint64_t>(&status);
  a.pull.descriptor_count = 1;
  a.pull.unit_count = 1;
  a.pull.tile_units = 1;
  a.pull.spans = 1;
  a.peers = reinterpret_cast<uint64_t>(&peer);
  a.heap_base = heaps.base(0);
  launch<8>(1, 1, 8, 0, [&](const EmulatedThread<8>& t, unsigned char*) {
    device_pull(t, a, CopyingTransport{&heaps, &none, 0});
  });
  CHECK(status.code == static_cast<uint32_t>(Code::kUnsupported), status.code);
  CHECK(status.expected == 1 && status.seen == 0, status.expected, status.seen);
}

TEST("device_pull copies from mapped heaps and uses NVSHMEM for the others", random) {
  for (int round = 0; round < 20; ++round) {
    constexpr uint64_t kHeapBytes = 30000;
    Heaps heaps;
    std::vector<uint64_t> peers;
    std::vector<bool> has_mapped;
    const auto pes = static_cast<uint32_t>(1 + below(random, 5));
    for (uint32_t pe = 0; pe < pes; ++pe) {
      heaps.of_pe.push_back(std::make_unique<Bytes>(random, kHeapBytes, 0));
      peers.push_back(below(random, 2) == 0 ? 0 : heaps.base(pe));
      has_mapped.push_back(below(random, 2) == 0);
    }
    std::vector<std::unique_ptr<Bytes>> destinations;
    std::vector<PullDescriptor> list;
    uint32_t units = 0;
    bool all_reached = true;
    for (uint64_t i = below(random, 15); i > 0; --i) {
      const uint64_t bytes = below(random, 9000);
      const uint64_t source = heaps.base(0) + below(random, kHeapBytes - bytes);
      destinations.push_back(std::make_unique<Bytes>(random, bytes, below(random, 128)));
      const uint64_t destination = destinations.back()->address();
      list.push_back({source, destination, bytes, units, static_cast<uint32_t>(below(random, pes))});
      units += copy_shape(source, destination, bytes, Remote::kSource).units();
      all_reached &= bytes == 0 || peers[list.back().pe] != 0 || has_mapped[list.back().pe];
    }
    KernelStatus status{};
    DevicePullArguments a{};
    a.pull.descriptors = reinterpret_cast<uint64_t>(list.data());
    a.pull.status = reinterpret_cast<uint64_t>(&status);
    a.pull.descriptor_count = static_cast<uint32_t>(list.size());
    a.pull.unit_count = units;
    a.pull.tile_units = static_cast<uint32_t>(1 + below(random, 4));
    a.pull.spans = 1;
    a.peers = reinterpret_cast<uint64_t>(peers.data());
    a.heap_base = heaps.base(0);
    launch<8>(
        random(), 1 + below(random, 3), 8 * (1 + below(random, 3)), 0,
        [&](const EmulatedThread<8>& t, unsigned char*) {
          device_pull(t, a, CopyingTransport{&heaps, &has_mapped, 1});
        });
    CHECK(status.code == 0, status.code);
    CHECK((heaps.gets == 0) == all_reached, heaps.gets);
    for (size_t i = 0; i < list.size(); ++i) {
      const auto* from =
          reinterpret_cast<const uint8_t*>(list[i].source - a.heap_base + heaps.base(list[i].pe));
      CHECK(std::memcmp(from, destinations[i]->data(), list[i].bytes) == 0, round, i);
      CHECK(destinations[i]->fences_hold(), round, i);
    }
  }
}

}  // namespace
}  // namespace symshuffle::test
