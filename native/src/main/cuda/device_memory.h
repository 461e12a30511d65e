// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "granule.h"
#include "platform.h"

// Memory accesses of the kernels: an address is a u64, and the name has the memory order. Nothing else in
// these sources loads or stores shared data. The tests have the same functions for host memory.
//
//   once      read only once: not kept in L1. Weak: the data was published before this kernel started.
//   (none)    weak
//   device    atomic between the threads of this GPU
//   system    between the threads of all GPUs and of the host
namespace symshuffle {

SYM_FN Granule load_once(uint64_t address) {
  Granule g;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(g.word[0]), "=r"(g.word[1]), "=r"(g.word[2]), "=r"(g.word[3])
               : "l"(address));
  return g;
}

SYM_FN void store(uint64_t address, const Granule& g) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(g.word[0]), "r"(g.word[1]),
               "r"(g.word[2]), "r"(g.word[3])
               : "memory");
}

/// A value of 1, 2, 4, 8 or 16 bytes at its natural alignment.
template <class T>
SYM_FN T load_value(uint64_t address) {
  return *reinterpret_cast<const T*>(address);
}

template <class T>
SYM_FN void store_value(uint64_t address, T value) {
  *reinterpret_cast<T*>(address) = value;
}

// The common types have overloads that declare an address to be in global memory. The compiler cannot infer
// that from a u64 and would emit generic accesses.

template <>
SYM_FN uint8_t load_value<uint8_t>(uint64_t address) {
  uint32_t value;
  asm volatile("ld.global.u8 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return static_cast<uint8_t>(value);
}

template <>
SYM_FN uint16_t load_value<uint16_t>(uint64_t address) {
  uint32_t value;
  asm volatile("ld.global.u16 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return static_cast<uint16_t>(value);
}

template <>
SYM_FN uint32_t load_value<uint32_t>(uint64_t address) {
  uint32_t value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

template <>
SYM_FN uint64_t load_value<uint64_t>(uint64_t address) {
  uint64_t value;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

template <>
SYM_FN Granule load_value<Granule>(uint64_t address) {
  Granule g;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(g.word[0]), "=r"(g.word[1]), "=r"(g.word[2]), "=r"(g.word[3])
               : "l"(address)
               : "memory");
  return g;
}

template <>
SYM_FN void store_value<uint32_t>(uint64_t address, uint32_t value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

template <>
SYM_FN void store_value<uint64_t>(uint64_t address, uint64_t value) {
  asm volatile("st.global.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

/// Sets *address to `desired` if it is `expected`; returns what it was. Within this GPU.
SYM_FN uint32_t compare_and_swap_device(uint64_t address, uint32_t expected, uint32_t desired) {
  return atomicCAS(reinterpret_cast<unsigned int*>(address), expected, desired);
}

SYM_FN uint64_t load_acquire_system(uint64_t address) {
  uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

SYM_FN void store_release_system(uint64_t address, uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

SYM_FN void fetch_xor_device(uint64_t address, uint32_t bits) {
  atomicXor(reinterpret_cast<unsigned int*>(address), bits);
}

}  // namespace symshuffle
