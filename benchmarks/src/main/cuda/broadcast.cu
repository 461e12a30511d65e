// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "benchmark_layout.h"
#include "threads.h"
#include "transfer.h"

namespace symshuffle {

/// Copies one piece to every destination. A root that pushes passes all PEs' buffers; a PE that pulls passes
/// the root's buffer as source and its own as destination. Any alignment and length up to kMaxPieceBytes.
/// Work is divided by units, alternating between destinations, so that all links are busy.
template <class Thread>
SYM_FN void broadcast(const Thread& t, const BroadcastArguments& a) {
  const Reporter reporter{a.status, a.pe};
  enum Argument : uint64_t { kThreads, kBytes };
  if (t.threads() % Thread::kLanes != 0) {
    reporter.report(Code::kInvalidArgument, a.pe, Thread::kLanes, t.threads(), kThreads);
    return;
  }
  if (a.bytes > kMaxPieceBytes) {
    reporter.report(Code::kInvalidArgument, a.pe, kMaxPieceBytes, a.bytes, kBytes);
    return;
  }
  const auto* destinations = reinterpret_cast<const uint64_t*>(a.destinations);
  const uint32_t warp = warp_of(t);
  for (uint32_t k = 0; k < a.destination_count; ++k) {
    const uint64_t destination = destinations[(warp + k) % a.destination_count];
    const CopyShape shape = copy_shape(a.source, destination, a.bytes, Remote::kDestination);
    for (uint32_t unit = warp; unit < shape.units(); unit += warps_of(t)) {
      copy_units<kCopyRows, LoadOnce>(t, shape, unit, unit + 1);
    }
  }
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer (whole warps).
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_broadcast(const __grid_constant__ symshuffle::BroadcastArguments arguments) {
  symshuffle::broadcast(symshuffle::DeviceThread{}, arguments);
}
#endif
