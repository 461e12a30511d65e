// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "granule.h"
#include "platform.h"

#if defined(__CUDACC__)

namespace symshuffle {

/// The calling thread: its place in the launch, and its collective operations. Launches are one-dimensional,
/// with whole warps. The tests use an emulated thread instead.
struct DeviceThread {
  static constexpr uint32_t kLanes = 32;  // threads per warp
  static constexpr uint32_t kWholeWarp = 0xffffffffU;

  SYM_FN uint32_t lane() const { return threadIdx.x % kLanes; }
  SYM_FN uint32_t thread() const { return threadIdx.x; }
  SYM_FN uint32_t threads() const { return blockDim.x; }
  SYM_FN uint32_t cta() const { return blockIdx.x; }
  SYM_FN uint32_t ctas() const { return gridDim.x; }

  /// Nanoseconds of a clock of this GPU.
  SYM_FN uint64_t now() const {
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  }

  /// Lets others use the multiprocessor, in a loop that waits.
  SYM_FN void pause() const { __nanosleep(20); }

  SYM_FN void sync_warp() const { __syncwarp(); }
  SYM_FN void sync_cta() const { __syncthreads(); }

  /// Bit l is set if `predicate` is true on lane l of the warp.
  SYM_FN uint32_t ballot(bool predicate) const { return __ballot_sync(kWholeWarp, predicate); }

  /// The value of lane `lane() ^ mask`.
  SYM_FN uint32_t exchange(uint32_t value, uint32_t mask) const {
    return __shfl_xor_sync(kWholeWarp, value, mask);
  }

  /// The value of lane `lane`.
  SYM_FN uint32_t from_lane(uint32_t value, uint32_t lane) const {
    return __shfl_sync(kWholeWarp, value, lane);
  }

  /// Bit l is set if lane l of the warp has the same `value` as this lane.
  SYM_FN uint32_t same_value(uint32_t value) const { return __match_any_sync(kWholeWarp, value); }

  /// The value of lane `lane() - distance`; the lanes below `distance` get their own.
  SYM_FN uint64_t from_lower_lane(uint64_t value, uint32_t distance) const {
    return __shfl_up_sync(kWholeWarp, value, distance);
  }

  /// The value of the next lane; the last lane gets that of the first.
  SYM_FN Granule from_next_lane(const Granule& value) const {
    const uint32_t next = (lane() + 1) % kLanes;
    Granule result;
    SYM_UNROLL
    for (int i = 0; i < 4; ++i) {
      result.word[i] = __shfl_sync(kWholeWarp, value.word[i], next);
    }
    return result;
  }
};

}  // namespace symshuffle

#endif
