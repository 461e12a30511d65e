// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <vector>

#include "check.h"
#include "crc32c.cu"
#include "emulation.h"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

/// CRC-32C one bit at a time, as it is defined.
uint32_t reference_crc32c(const uint8_t* data, uint64_t bytes) {
  uint32_t crc = 0xffffffffU;
  for (uint64_t i = 0; i < bytes; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
    }
  }
  return ~crc;
}

struct List {
  std::vector<std::unique_ptr<Bytes>> pieces;
  std::vector<CrcDescriptor> descriptors;
  uint32_t units = 0;

  void add(Random& random, uint64_t bytes) {
    pieces.push_back(std::make_unique<Bytes>(random, bytes, below(random, 128)));
    const uint64_t address = pieces.back()->address();
    descriptors.push_back({address, bytes, units, 0});
    units += copy_shape(address, address, bytes).units();
  }
};

template <uint32_t kLanes>
void check(Random& random, List& list, uint32_t ctas, uint32_t warps, uint32_t tile_units) {
  KernelStatus status{};
  std::vector<uint32_t> results(list.pieces.size() + 1);
  CrcArguments a{};
  a.descriptors = reinterpret_cast<uint64_t>(list.descriptors.data());
  a.results = reinterpret_cast<uint64_t>(results.data());
  a.status = reinterpret_cast<uint64_t>(&status);
  a.descriptor_count = static_cast<uint32_t>(list.descriptors.size());
  a.unit_count = list.units;
  a.tile_units = tile_units;
  launch<kLanes>(random(), ctas, warps * kLanes, sizeof(crc32c::FoldTable),
                 [&](const EmulatedThread<kLanes>& t, unsigned char* shared) {
                   crc32c_pieces(t, a, reinterpret_cast<crc32c::FoldTable*>(shared));
                 });
  CHECK(status.code == 0, status.code, status.expected, status.seen, status.address);
  for (size_t i = 0; i < list.pieces.size(); ++i) {
    const uint32_t expected = reference_crc32c(list.pieces[i]->data(), list.pieces[i]->size());
    CHECK(results[i] == expected, i, results[i], expected, list.pieces[i]->size());
  }
}

TEST("the reference computes the check value of CRC-32C", random) {
  static_cast<void>(random);
  const uint32_t crc = reference_crc32c(reinterpret_cast<const uint8_t*>("123456789"), 9);
  CHECK(crc == 0xe3069283U, crc);
}

TEST("powers of x repeat after the order", random) {
  static_cast<void>(random);
  const uint32_t x = crc32c::times_x(crc32c::kOne);
  const auto last = static_cast<uint32_t>(crc32c::kOrder - 1);
  CHECK(crc32c::multiply(x, crc32c::power_of_x(crc32c_powers, last)) == crc32c::kOne);
  CHECK(crc32c::multiply(crc32c::power_of_x(crc32c_powers, crc32c::exponent_of(-1000)),
                         crc32c::power_of_x(crc32c_powers, crc32c::exponent_of(1000))) == crc32c::kOne);
}

TEST("the CRC of one piece of any alignment and size equals the reference", random) {
  for (uint64_t bytes = 0; bytes <= 40; ++bytes) {
    List list;
    list.add(random, bytes);
    check<4>(random, list, 1, 1, 1);
  }
  for (int i = 0; i < 60; ++i) {
    List list;
    list.add(random, below(random, 10000));
    check<8>(random, list, 1, 2, 1 + static_cast<uint32_t>(below(random, 4)));
  }
}

TEST("the CRCs of many pieces with 32 lanes per warp equal the reference", random) {
  for (int round = 0; round < 6; ++round) {
    List list;
    const uint64_t pieces = 1 + below(random, 30);
    for (uint64_t i = 0; i < pieces; ++i) {
      list.add(random, below(random, 4) == 0 ? 0 : below(random, 5000));
    }
    check<32>(random, list, 2, 2, 1 + static_cast<uint32_t>(below(random, 3)));
  }
}

}  // namespace
}  // namespace symshuffle::test
