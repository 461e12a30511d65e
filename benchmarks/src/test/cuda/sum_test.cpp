// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <memory>
#include <vector>

#include "check.h"
#include "emulation.h"
#include "sum.cu"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

SumArguments arguments_of(const std::vector<uint64_t>& inputs, uint64_t output, uint64_t granules,
                          KernelStatus& status) {
  SumArguments a{};
  a.inputs = reinterpret_cast<uint64_t>(inputs.data());
  a.output = output;
  a.status = reinterpret_cast<uint64_t>(&status);
  a.granules = granules;
  a.input_count = static_cast<uint32_t>(inputs.size());
  return a;
}

float at(Bytes& bytes, uint64_t i) {
  float value;
  std::memcpy(&value, bytes.data() + i * sizeof(float), sizeof(float));
  return value;
}

TEST("each element is the sum of all inputs in their order", random) {
  for (int round = 0; round < 40; ++round) {
    const uint64_t granules = below(random, 5) == 0 ? below(random, 3) : below(random, 200);
    const uint64_t bytes = granules * sizeof(Granule);
    std::vector<std::unique_ptr<Bytes>> inputs;
    std::vector<uint64_t> addresses;
    for (uint64_t i = 0, n = 1 + below(random, 6); i < n; ++i) {
      inputs.push_back(std::make_unique<Bytes>(random, bytes, 0));
      for (uint64_t k = 0; k < 4 * granules; ++k) {
        const auto value = static_cast<float>(static_cast<double>(random()) / 1e15 - 9000);
        std::memcpy(inputs.back()->data() + k * sizeof(float), &value, sizeof(float));
      }
      addresses.push_back(inputs.back()->address());
    }
    Bytes output(random, bytes, 0);
    KernelStatus status{};
    const SumArguments a = arguments_of(addresses, output.address(), granules, status);
    launch<4>(random(), 1 + below(random, 2), 4 + 4 * below(random, 3), 0,
              [&](const EmulatedThread<4>& t, unsigned char*) { sum(t, a); });
    CHECK(status.code == 0, status.code);
    CHECK(output.fences_hold());
    for (uint64_t k = 0; k < 4 * granules; ++k) {
      float expected = at(*inputs[0], k);
      for (uint64_t i = 1; i < inputs.size(); ++i) {
        expected += at(*inputs[i], k);
      }
      CHECK(expected == at(output, k), k, expected, at(output, k), inputs.size());
    }
  }
}

TEST("a sum of no inputs is rejected", random) {
  KernelStatus status{};
  const SumArguments a = arguments_of({}, 0, 0, status);
  launch<4>(random(), 1, 4, 0, [&](const EmulatedThread<4>& t, unsigned char*) { sum(t, a); });
  CHECK(status.code == static_cast<uint32_t>(Code::kInvalidArgument), status.code);
}

}  // namespace
}  // namespace symshuffle::test
