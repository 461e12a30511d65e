// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "granule.h"

// The functions of device_memory.h on host memory, for the tests. A misaligned access ends the program, and a
// watcher can check every load and store of shared data.
namespace symshuffle {

/// Sees every access of load_once, load_value, store and store_value.
struct MemoryWatcher {
  virtual ~MemoryWatcher() = default;
  virtual void on_load(uint64_t address, uint64_t bytes) = 0;
  virtual void on_store(uint64_t address, uint64_t bytes) = 0;
};

inline MemoryWatcher* memory_watcher = nullptr;

inline void check_alignment(uint64_t address, uint64_t bytes) {
  if (address % bytes != 0) {
    std::fprintf(stderr, "access of %llu bytes at misaligned address %llx\n",
                 static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(address));
    std::abort();
  }
}

inline void watch_load(uint64_t address, uint64_t bytes) {
  check_alignment(address, bytes);
  if (memory_watcher != nullptr) {
    memory_watcher->on_load(address, bytes);
  }
}

inline void watch_store(uint64_t address, uint64_t bytes) {
  check_alignment(address, bytes);
  if (memory_watcher != nullptr) {
    memory_watcher->on_store(address, bytes);
  }
}

template <class T>
inline T load_value(uint64_t address) {
  watch_load(address, sizeof(T));
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));
  return value;
}

template <class T>
inline void store_value(uint64_t address, T value) {
  watch_store(address, sizeof(T));
  std::memcpy(reinterpret_cast<void*>(address), &value, sizeof(T));
}

inline Granule load_once(uint64_t address) {
  return load_value<Granule>(address);
}
inline void store(uint64_t address, const Granule& g) {
  store_value<Granule>(address, g);
}

inline uint32_t compare_and_swap_device(uint64_t address, uint32_t expected, uint32_t desired) {
  __atomic_compare_exchange_n(reinterpret_cast<uint32_t*>(address), &expected, desired, false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

inline uint64_t load_acquire_system(uint64_t address) {
  check_alignment(address, sizeof(uint64_t));
  return __atomic_load_n(reinterpret_cast<const uint64_t*>(address), __ATOMIC_ACQUIRE);
}

inline void store_release_system(uint64_t address, uint64_t value) {
  check_alignment(address, sizeof(uint64_t));
  __atomic_store_n(reinterpret_cast<uint64_t*>(address), value, __ATOMIC_RELEASE);
}

inline void fetch_xor_device(uint64_t address, uint32_t bits) {
  __atomic_fetch_xor(reinterpret_cast<uint32_t*>(address), bits, __ATOMIC_RELAXED);
}

}  // namespace symshuffle
