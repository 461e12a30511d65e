// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "emulation.h"
#include "fake_queue.h"
#include "fake_script.h"

// How the fake driver runs kernels: the real sources, compiled for the CPU.
namespace symshuffle {

/// A thread of a launch with one CTA of one narrow warp. Fibers emulate it, and its clock is the host's.
constexpr uint32_t kHostLanes = 4;
using EmulatedThread = emulation::EmulatedThread<kHostLanes>;

struct HostThread : EmulatedThread {
  explicit HostThread(const EmulatedThread& thread) : EmulatedThread(thread) {}

  uint64_t now_nanoseconds() const {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now().time_since_epoch())
                                     .count());
  }
  void pause(uint32_t nanoseconds) const {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    EmulatedThread::pause(nanoseconds);
  }
};

/// The memory that a kernel uses: the allocations that its arguments point into.
template <class Arguments>
std::vector<fake_use> uses_of(const Arguments& arguments) {
  std::vector<fake_use> uses;
  for (size_t at = 0; at + sizeof(uint64_t) <= sizeof arguments; at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, reinterpret_cast<const char*>(&arguments) + at, sizeof word);
    const fake_use region = fake_region_of(word);
    if (region.bytes != 0) {
      uses.push_back(region);
    }
  }
  return uses;
}

template <class Arguments, class Kernel>
int run(const void* arguments, size_t shared_bytes, Kernel kernel) {
  static std::mutex one_at_a_time;
  if (arguments == nullptr) {
    return 0;
  }
  // A launch copies its arguments.
  const auto& a = *static_cast<const Arguments*>(arguments);
  return fake_enqueue(uses_of(a), [a, shared_bytes, kernel] {
    const std::lock_guard<std::mutex> guard(one_at_a_time);
    emulation::launch<kHostLanes>(1, 1, kHostLanes, shared_bytes,
                                  [&](const EmulatedThread& thread, unsigned char* shared) {
                                    kernel(HostThread(thread), a, shared);
                                  });
    return 0;
  });
}

}  // namespace symshuffle
