// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Every function of the kernels is written once, for one thread, and compiled twice: by nvcc for the GPU, and
// by g++ for the tests, with an emulated thread instead of DeviceThread.
#if defined(__CUDACC__)
#define SYM_FN __device__ __forceinline__
#define SYM_CONST_FN __host__ __device__ constexpr
#define SYM_UNROLL _Pragma("unroll")
#define SYM_NO_UNROLL _Pragma("unroll 1")
#else
#define SYM_FN inline
#define SYM_CONST_FN constexpr
#define SYM_UNROLL
#define SYM_NO_UNROLL
#endif

namespace symshuffle {

template <class T>
SYM_CONST_FN T smaller(T a, T b) {
  return b < a ? b : a;
}

template <class T>
SYM_CONST_FN T larger(T a, T b) {
  return a < b ? b : a;
}

template <class T>
SYM_CONST_FN T divide_up(T a, T b) {
  return (a + b - 1) / b;
}

SYM_FN uint32_t count_bits(uint32_t value) {
#if defined(__CUDA_ARCH__)
  return static_cast<uint32_t>(__popc(value));
#else
  return static_cast<uint32_t>(__builtin_popcount(value));
#endif
}

/// The zero bits above the highest set bit of `value`, 64 if there is none.
SYM_FN uint32_t leading_zeros(uint64_t value) {
#if defined(__CUDA_ARCH__)
  return static_cast<uint32_t>(__clzll(static_cast<long long>(value)));
#else
  return value == 0 ? 64 : static_cast<uint32_t>(__builtin_clzll(value));
#endif
}

}  // namespace symshuffle
