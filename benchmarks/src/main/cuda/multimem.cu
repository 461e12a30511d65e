// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "combine.h"
#include "dispatch.h"
#include "benchmark_layout.h"
#include "memory.h"
#include "multimem_memory.h"
#include "platform.h"
#include "report.h"
#include "threads.h"
#include "wait.h"

// The collectives over a multicast address. The host launches them only where the heap has one; on a
// GPU before Hopper they report Code::kUnsupported.

#if defined(__CUDACC__)

namespace symshuffle::multimem {

#if SYM_HAS_HOPPER

SYM_FN uint64_t first_thread() {
  return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
SYM_FN uint64_t all_threads() {
  return static_cast<uint64_t>(gridDim.x) * blockDim.x;
}

/// Combines the elements one by one: the switch takes one 4- or 8-byte element per instruction.
template <class T, ReduceOperation kOperation>
SYM_FN void reduce_elements(const MultimemReduceArguments& a, uint64_t begin, uint64_t end) {
  using Unsigned = typename Bits<T>::Type;
  for (uint64_t i = begin + first_thread(); i < end; i += all_threads()) {
    const uint64_t offset = (a.first_element + i) * sizeof(T);
    const auto value = same_bits<Unsigned>(load_reduce_relaxed_system<T, kOperation>(a.input + offset));
    if (a.output_is_multicast != 0) {
      store_relaxed_system(a.output + offset, value);
    } else {
      store_value<Unsigned>(a.output + offset, value);
    }
  }
}

/// Sums of f32, in vectors of four where they are 16-byte aligned.
SYM_FN void sum_f32(const MultimemReduceArguments& a) {
  const uint64_t head = smaller<uint64_t>((0 - a.first_element) % 4, a.element_count);
  const uint64_t tail = head + (a.element_count - head) / 4 * 4;
  reduce_elements<float, ReduceOperation::kSum>(a, 0, head);
  for (uint64_t i = head + 4 * first_thread(); i < tail; i += 4 * all_threads()) {
    const uint64_t offset = (a.first_element + i) * sizeof(float);
    const Granule sums = load_sum_f32x4_relaxed_system(a.input + offset);
    if (a.output_is_multicast != 0) {
      store_relaxed_system(a.output + offset, sums);
    } else {
      store(a.output + offset, sums);
    }
  }
  reduce_elements<float, ReduceOperation::kSum>(a, tail, a.element_count);
}

struct ReduceBody {
  const MultimemReduceArguments& a;
  bool& done;

  template <class T, ReduceOperation kOperation>
  SYM_FN void run() const {
    if constexpr (kOperation == ReduceOperation::kSum && sizeof(T) == 4 && Bits<T>::kFloating) {
      sum_f32(a);
    } else if constexpr (Supports<T, kOperation>::value) {
      reduce_elements<T, kOperation>(a, 0, a.element_count);
    } else {
      done = false;
    }
  }
};

SYM_FN void reduce(const MultimemReduceArguments& a) {
  fence_alias();
  bool done = true;
  if (!dispatch_reduction(a.type, a.operation, ReduceBody{a, done}) || !done) {
    const Reporter reporter{a.status, a.pe};
    reporter.report(Code::kUnsupported, a.pe, a.operation, a.type, 0);
  }
  fence_alias();
}

SYM_FN void broadcast(const MultimemBroadcastArguments& a) {
  enum Argument : uint64_t { kAddresses, kBytes };
  const Reporter reporter{a.status, a.pe};
  if ((a.source | a.destination) % sizeof(Granule) != 0) {
    reporter.report(Code::kInvalidArgument, a.pe, 0, (a.source | a.destination) % sizeof(Granule),
                    kAddresses);
    return;
  }
  if (a.bytes % sizeof(uint32_t) != 0) {
    reporter.report(Code::kInvalidArgument, a.pe, 0, a.bytes, kBytes);
    return;
  }
  const uint64_t whole = a.bytes / sizeof(Granule) * sizeof(Granule);
  for (uint64_t at = first_thread() * sizeof(Granule); at < whole; at += all_threads() * sizeof(Granule)) {
    store_relaxed_system(a.destination + at, load_once(a.source + at));
  }
  for (uint64_t at = whole + first_thread() * sizeof(uint32_t); at < a.bytes;
       at += all_threads() * sizeof(uint32_t)) {
    store_relaxed_system(a.destination + at, load_value<uint32_t>(a.source + at));
  }
  fence_alias();
}

SYM_FN void barrier(const MultimemBarrierArguments& a) {
  if (threadIdx.x != 0) {
    return;
  }
  const DeviceThread t;
  const Reporter reporter{a.status, a.pe};
  const Patience patience = Patience::starting_now(t, a.timeout_nanoseconds, a.abort);
  fence_system();
  add_release_system(a.multicast_counter, 1);
  fence_alias();
  // The counter does not show which PE is missing: `peer` is this PE itself, `seen` the number of arrivals.
  wait_until_at_least_acquire_system(t, a.counter, a.expected, a.pe, patience, reporter);
  fence_alias();
  fence_system();
}

#else

template <class Arguments>
SYM_FN void refuse(const Arguments& a) {
  Reporter{a.status, a.pe}.report(Code::kUnsupported, a.pe, 900, 0, 0);
}

SYM_FN void reduce(const MultimemReduceArguments& a) {
  refuse(a);
}
SYM_FN void broadcast(const MultimemBroadcastArguments& a) {
  refuse(a);
}
SYM_FN void barrier(const MultimemBarrierArguments& a) {
  refuse(a);
}

#endif

}  // namespace symshuffle::multimem

/// Like symshuffle_reduce over all PEs' buffers, for the sums of all types and the min and max of integers.
/// The order of a floating-point sum is the switch's. Launch: any number of CTAs, kCtaThreads or fewer.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_multimem_reduce(const __grid_constant__ symshuffle::MultimemReduceArguments arguments) {
  symshuffle::multimem::reduce(arguments);
}

/// Writes a piece to the same offset on every PE. Launch: as above.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_multimem_broadcast(const __grid_constant__ symshuffle::MultimemBroadcastArguments arguments) {
  symshuffle::multimem::broadcast(arguments);
}

/// Like symshuffle_barrier, with one instruction instead of one store per PE. Launch: one CTA of one warp.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_multimem_barrier(const __grid_constant__ symshuffle::MultimemBarrierArguments arguments) {
  symshuffle::multimem::barrier(arguments);
}

#endif
