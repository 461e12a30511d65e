// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "granule.h"
#include "benchmark_layout.h"
#include "platform.h"

// The operations of the reductions, with Java's semantics: integers wrap around; Math.min and Math.max return
// NaN if either is NaN, and -0.0 is less than 0.0.
namespace symshuffle {

template <class T>
struct Bits;
template <>
struct Bits<int32_t> {
  using Type = uint32_t;
  static constexpr bool kFloating = false;
};
template <>
struct Bits<int64_t> {
  using Type = uint64_t;
  static constexpr bool kFloating = false;
};
template <>
struct Bits<float> {
  using Type = uint32_t;
  static constexpr bool kFloating = true;
};
template <>
struct Bits<double> {
  using Type = uint64_t;
  static constexpr bool kFloating = true;
};

/// Reinterprets the bits as another type of the same size.
template <class To, class From>
SYM_FN To same_bits(const From& value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  memcpy(&result, &value, sizeof(To));
  return result;
}

template <class T, ReduceOperation kOperation>
SYM_FN T combine(T a, T b) {
  using Unsigned = typename Bits<T>::Type;
  if constexpr (kOperation == ReduceOperation::kSum) {
    if constexpr (Bits<T>::kFloating) {
      return a + b;
    } else {
      return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    }
  } else {
    constexpr bool kMin = kOperation == ReduceOperation::kMin;
    if constexpr (Bits<T>::kFloating) {
      if (a != a) {
        return a;
      }
      if (b != b) {
        return b;
      }
      if (a == b) {  // the same bits, or zeros with different signs: the sign bit decides
        const auto x = same_bits<Unsigned>(a);
        const auto y = same_bits<Unsigned>(b);
        return same_bits<T>(static_cast<Unsigned>(kMin ? x | y : x & y));
      }
    }
    return (a < b) == kMin ? a : b;
  }
}

/// The elements of two granules, one by one.
template <class T, ReduceOperation kOperation>
SYM_FN Granule combine_granules(const Granule& a, const Granule& b) {
  constexpr int kElements = sizeof(Granule) / sizeof(T);
  T x[kElements];
  T y[kElements];
  memcpy(x, &a, sizeof(Granule));
  memcpy(y, &b, sizeof(Granule));
  SYM_UNROLL
  for (int i = 0; i < kElements; ++i) {
    x[i] = combine<T, kOperation>(x[i], y[i]);
  }
  Granule result;
  memcpy(&result, x, sizeof(Granule));
  return result;
}

}  // namespace symshuffle
