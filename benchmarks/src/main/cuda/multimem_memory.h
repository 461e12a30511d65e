// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "granule.h"
#include "benchmark_layout.h"
#include "memory.h"
#include "platform.h"

// NVLink multicast (PTX `multimem`, Hopper): one address for the same offset in every PE's heap. A reducing
// load returns the combination of all, a store writes all. Types per operation, according to ptxas 13.0: add
// u32, u64, f32 (vectors of four), f64; min and max u32, s32, u64, s64. No min or max of floating point; i64
// adds as u64.
namespace symshuffle::multimem {

/// Whether the switch supports this operation for this type.
template <class T, ReduceOperation kOperation>
struct Supports {
  static constexpr bool value = true;
};
template <>
struct Supports<float, ReduceOperation::kMin> {
  static constexpr bool value = false;
};
template <>
struct Supports<float, ReduceOperation::kMax> {
  static constexpr bool value = false;
};
template <>
struct Supports<double, ReduceOperation::kMin> {
  static constexpr bool value = false;
};
template <>
struct Supports<double, ReduceOperation::kMax> {
  static constexpr bool value = false;
};

#if SYM_HAS_HOPPER

#define SYM_LOAD_REDUCE(type, operation, ptx, constraint)                                      \
  template <>                                                                                  \
  SYM_FN type load_reduce_relaxed_system<type, ReduceOperation::operation>(uint64_t address) { \
    type value;                                                                                \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." ptx " %0, [%1];"                     \
                 : constraint(value)                                                           \
                 : "l"(address)                                                                \
                 : "memory");                                                                  \
    return value;                                                                              \
  }

/// The combination of one element of all PEs.
template <class T, ReduceOperation kOperation>
SYM_FN T load_reduce_relaxed_system(uint64_t address);

SYM_LOAD_REDUCE(int32_t, kSum, "add.s32", "=r")
SYM_LOAD_REDUCE(int32_t, kMin, "min.s32", "=r")
SYM_LOAD_REDUCE(int32_t, kMax, "max.s32", "=r")
SYM_LOAD_REDUCE(int64_t, kSum, "add.u64", "=l")
SYM_LOAD_REDUCE(int64_t, kMin, "min.s64", "=l")
SYM_LOAD_REDUCE(int64_t, kMax, "max.s64", "=l")
SYM_LOAD_REDUCE(float, kSum, "add.f32", "=f")
SYM_LOAD_REDUCE(double, kSum, "add.f64", "=d")
#undef SYM_LOAD_REDUCE

/// Four f32 at once, at a 16-byte aligned address.
SYM_FN Granule load_sum_f32x4_relaxed_system(uint64_t address) {
  float x, y, z, w;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(address)
               : "memory");
  return Granule{{__float_as_uint(x), __float_as_uint(y), __float_as_uint(z), __float_as_uint(w)}};
}

/// 16 bytes to every PE. The type f32 moves the bits as they are.
SYM_FN void store_relaxed_system(uint64_t address, const Granule& g) {
  asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address),
               "f"(__uint_as_float(g.word[0])), "f"(__uint_as_float(g.word[1])),
               "f"(__uint_as_float(g.word[2])), "f"(__uint_as_float(g.word[3]))
               : "memory");
}

SYM_FN void store_relaxed_system(uint64_t address, uint32_t value) {
  asm volatile("multimem.st.relaxed.sys.global.b32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

SYM_FN void store_relaxed_system(uint64_t address, uint64_t value) {
  asm volatile("multimem.st.relaxed.sys.global.b64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

/// Adds to a u64 of every PE; this thread's earlier writes are visible to threads that acquire the sum.
SYM_FN void add_release_system(uint64_t address, uint64_t value) {
  asm volatile("multimem.red.release.sys.global.add.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

/// Orders accesses by a multicast address with those by a plain address of the same memory.
SYM_FN void fence_alias() {
  asm volatile("fence.proxy.alias;" ::: "memory");
}

#endif

}  // namespace symshuffle::multimem
