// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <memory>
#include <vector>

#include "broadcast.cu"
#include "check.h"
#include "emulation.h"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

TEST("broadcast fills destinations of any alignment", random) {
  for (int round = 0; round < 40; ++round) {
    const uint64_t bytes = below(random, 4) == 0 ? below(random, 20) : below(random, 12000);
    Bytes source(random, bytes, below(random, 128));
    std::vector<std::unique_ptr<Bytes>> destinations;
    std::vector<uint64_t> addresses;
    const uint64_t count = below(random, 6);
    for (uint64_t i = 0; i < count; ++i) {
      destinations.push_back(std::make_unique<Bytes>(random, bytes, below(random, 128)));
      addresses.push_back(destinations.back()->address());
    }
    KernelStatus status{};
    const BroadcastArguments a{source.address(),
                               reinterpret_cast<uint64_t>(addresses.data()),
                               reinterpret_cast<uint64_t>(&status),
                               bytes,
                               static_cast<uint32_t>(count),
                               0};
    launch<8>(random(), 1 + below(random, 3), 8 * (1 + below(random, 3)), 0,
              [&](const EmulatedThread<8>& t, unsigned char*) { broadcast(t, a); });
    CHECK(status.code == 0, status.code);
    for (const auto& d : destinations) {
      CHECK(std::memcmp(source.data(), d->data(), bytes) == 0, round, bytes);
      CHECK(d->fences_hold(), round, bytes);
    }
  }
}

}  // namespace
}  // namespace symshuffle::test
