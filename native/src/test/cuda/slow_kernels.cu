// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

// The product's kernels with a pull whose last stores come late, so that memory that is freed or reused before a
// launch is done shows as wrong bytes. Tests load this fatbin instead of the product's.
#define symshuffle_pull symshuffle_pull_in_time
#include "kernels.cu"
#undef symshuffle_pull

namespace {
/// Long compared with a copy of a few MiB, short compared with a test.
constexpr uint64_t kDelayNanoseconds = 5'000'000;

/// How long a pull waits for a test that opens its gate.
constexpr uint64_t kLimitNanoseconds = 20'000'000'000;

/// Nanoseconds since some point in the past; one clock for all threads of the GPU.
__device__ uint64_t now_nanoseconds() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
}  // namespace

/// The address of a u32 of the host, or 0: a pull takes at least kDelayNanoseconds. If it is not 0, a pull does
/// not end while the word is 0, so that a test decides when it is done, however threads are scheduled.
extern "C" __device__ uint64_t symshuffle_gate = 0;

/// Launch: as the product's.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_pull(const __grid_constant__ symshuffle::PullArguments arguments) {
  const symshuffle::DeviceThread t{};
  // The first warp has a tile in every launch.
  if (symshuffle::warp_of(t) == 0) {
    const auto* gate = reinterpret_cast<const volatile uint32_t*>(symshuffle_gate);
    const uint64_t end = now_nanoseconds() + (gate == nullptr ? kDelayNanoseconds : kLimitNanoseconds);
    while (now_nanoseconds() < end && (gate == nullptr || *gate == 0)) {
      __nanosleep(1000);
    }
  }
  symshuffle::pull(t, arguments);
}
