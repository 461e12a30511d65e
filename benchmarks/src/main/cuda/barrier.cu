// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "lab_layout.h"
#include "memory.h"
#include "platform.h"
#include "report.h"
#include "threads.h"
#include "wait.h"

namespace symshuffle {

/// A barrier of all PEs, which only reads other PEs' memory: each sets its own counter to the round and waits
/// for the others' counters. Writes before the barrier in any PE's stream are visible after it in every PE's
/// stream. Names the PEs that do not arrive; others may have passed this round.
template <class Thread>
SYM_FN void barrier(const Thread& t, const BarrierArguments& a) {
  const Reporter reporter{a.status, a.pe};
  const Patience patience = Patience::starting_now(t, a.timeout_nanoseconds);
  const auto* counters = reinterpret_cast<const uint64_t*>(a.counters);
  enum Argument : uint64_t { kPe };
  if (a.pe >= a.pe_count) {
    reporter.report(Code::kInvalidArgument, a.pe, a.pe_count, a.pe, kPe);
    return;
  }
  fence_system();
  if (t.thread() == 0) {
    store_release_system(counters[a.pe], a.round);
  }
  for (uint32_t p = t.thread(); p < a.pe_count; p += t.threads()) {
    wait_until_at_least_acquire_system(t, counters[p], a.round, p, patience, reporter);
  }
  fence_system();
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: exactly one CTA, of kCtaThreads threads or fewer.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_barrier(const __grid_constant__ symshuffle::BarrierArguments arguments) {
  symshuffle::barrier(symshuffle::DeviceThread{}, arguments);
}
#endif
