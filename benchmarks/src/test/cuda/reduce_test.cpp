// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "check.h"
#include "emulation.h"
#include "reduce.cu"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::launch;

/// Small, large and, for floating point, special values.
template <class T>
T draw(Random& random) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (below(random, 12)) {
      case 0:
        return std::numeric_limits<T>::quiet_NaN();
      case 1:
        return -std::numeric_limits<T>::infinity();
      case 2:
        return static_cast<T>(-0.0);
      case 3:
        return static_cast<T>(0.0);
      default:
        return static_cast<T>(static_cast<double>(random()) / 1e15 - 9000);
    }
  } else {
    return static_cast<T>(random());
  }
}

/// The results of Java's +, Math.min and Math.max, computed differently than in combine.h.
template <class T>
T expected_of(ReduceOperation operation, T a, T b) {
  if (operation == ReduceOperation::kSum) {
    if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      T sum;
      static_cast<void>(__builtin_add_overflow(a, b, &sum));
      return sum;
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::numeric_limits<T>::quiet_NaN();
    }
    if (a == 0 && b == 0) {
      const bool negative = operation == ReduceOperation::kMin ? std::signbit(a) || std::signbit(b)
                                                               : std::signbit(a) && std::signbit(b);
      return negative ? static_cast<T>(-0.0) : static_cast<T>(0.0);
    }
  }
  return operation == ReduceOperation::kMin ? std::min(a, b) : std::max(a, b);
}

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) && std::isnan(b);
    }
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
void check(Random& random, ElementType type, ReduceOperation operation) {
  const auto inputs = static_cast<uint32_t>(1 + below(random, 5));
  const auto outputs = static_cast<uint32_t>(1 + below(random, 3));
  const uint64_t first = below(random, 9);
  const uint64_t count = below(random, 5) == 0 ? below(random, 4) : below(random, 600);
  const uint64_t elements = first + count + below(random, 5);
  const bool aligned_alike = below(random, 2) == 0;
  const uint64_t offset = sizeof(T) * below(random, 16 / sizeof(T));
  std::vector<std::unique_ptr<Bytes>> in;
  std::vector<std::unique_ptr<Bytes>> out;
  std::vector<uint64_t> in_addresses;
  std::vector<uint64_t> out_addresses;
  const auto add = [&](auto& buffers, auto& addresses) {
    const uint64_t at = aligned_alike ? offset : sizeof(T) * below(random, 16 / sizeof(T));
    buffers.push_back(std::make_unique<Bytes>(random, elements * sizeof(T), at));
    for (uint64_t i = 0; i < elements; ++i) {
      const T value = draw<T>(random);
      std::memcpy(buffers.back()->data() + i * sizeof(T), &value, sizeof(T));
    }
    addresses.push_back(buffers.back()->address());
  };
  for (uint32_t i = 0; i < inputs; ++i) {
    add(in, in_addresses);
  }
  for (uint32_t i = 0; i < outputs; ++i) {
    add(out, out_addresses);
  }
  const auto at = [](Bytes& bytes, uint64_t i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  };
  std::vector<std::vector<T>> before(outputs);
  for (uint32_t o = 0; o < outputs; ++o) {
    for (uint64_t i = 0; i < elements; ++i) {
      before[o].push_back(at(*out[o], i));
    }
  }

  KernelStatus status{};
  ReduceArguments a{};
  a.inputs = reinterpret_cast<uint64_t>(in_addresses.data());
  a.outputs = reinterpret_cast<uint64_t>(out_addresses.data());
  a.status = reinterpret_cast<uint64_t>(&status);
  a.first_element = first;
  a.element_count = count;
  a.input_count = inputs;
  a.output_count = outputs;
  a.type = static_cast<uint32_t>(type);
  a.operation = static_cast<uint32_t>(operation);
  launch<4>(random(), 1 + below(random, 2), 4 + 4 * below(random, 3), 0,
            [&](const EmulatedThread<4>& t, unsigned char*) { reduce(t, a); });
  CHECK(status.code == 0, status.code);
  for (uint32_t o = 0; o < outputs; ++o) {
    CHECK(out[o]->fences_hold());
    for (uint64_t i = 0; i < elements; ++i) {
      T expected = before[o][i];
      if (i >= first && i < first + count) {
        expected = at(*in[0], i);
        for (uint32_t p = 1; p < inputs; ++p) {
          expected = expected_of(operation, expected, at(*in[p], i));
        }
      }
      CHECK(same(expected, at(*out[o], i)), i, expected, at(*out[o], i), inputs, first, count);
    }
  }
}

TEST("reductions of all types and operations agree with Java", random) {
  for (int round = 0; round < 12; ++round) {
    for (const auto operation : {ReduceOperation::kSum, ReduceOperation::kMin, ReduceOperation::kMax}) {
      check<int32_t>(random, ElementType::kI32, operation);
      check<int64_t>(random, ElementType::kI64, operation);
      check<float>(random, ElementType::kF32, operation);
      check<double>(random, ElementType::kF64, operation);
    }
  }
}

TEST("an unknown type or operation is rejected", random) {
  for (const auto& [type, operation] : std::vector<std::pair<uint32_t, uint32_t>>{{4, 0}, {0, 3}, {9, 9}}) {
    KernelStatus status{};
    uint64_t nothing = 0;
    ReduceArguments a{};
    a.inputs = reinterpret_cast<uint64_t>(&nothing);
    a.outputs = a.inputs;
    a.status = reinterpret_cast<uint64_t>(&status);
    a.input_count = 1;
    a.type = type;
    a.operation = operation;
    launch<4>(random(), 1, 4, 0, [&](const EmulatedThread<4>& t, unsigned char*) { reduce(t, a); });
    CHECK(status.code == static_cast<uint32_t>(Code::kUnsupported), status.code);
  }
}

}  // namespace
}  // namespace symshuffle::test
