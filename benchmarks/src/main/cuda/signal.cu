// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "benchmark_layout.h"
#include "memory.h"
#include "platform.h"
#include "report.h"
#include "threads.h"
#include "wait.h"

namespace symshuffle {

/// Sets every word of the list. A thread that acquires a word's value sees all earlier writes of this stream.
template <class Thread>
SYM_FN void signal(const Thread& t, const SignalArguments& a) {
  const auto* list = reinterpret_cast<const SignalDescriptor*>(a.descriptors);
  fence_system();
  for (uint32_t i = t.cta() * t.threads() + t.thread(); i < a.descriptor_count; i += t.ctas() * t.threads()) {
    const SignalDescriptor d = list[i];
    store_release_system(d.address, d.value);
  }
}

/// Waits for every word of the list; earlier writes of their writers are then visible to all kernels that
/// follow in this stream. All words share one deadline, relative to the start of the kernel.
template <class Thread>
SYM_FN void wait(const Thread& t, const WaitArguments& a) {
  const Reporter reporter{a.status, a.pe};
  const Patience patience = Patience::starting_now(t, a.timeout_nanoseconds, a.abort);
  const auto* list = reinterpret_cast<const SignalDescriptor*>(a.descriptors);
  for (uint32_t i = t.cta() * t.threads() + t.thread(); i < a.descriptor_count; i += t.ctas() * t.threads()) {
    const SignalDescriptor d = list[i];
    wait_until_at_least_acquire_system(t, d.address, d.value, d.pe, patience, reporter);
  }
  fence_system();
}

/// A barrier of all PEs: notifies each PE and then waits for each. Writes before the barrier in any PE's
/// stream are visible after it in every PE's stream. Names the PEs that do not arrive; others may have passed
/// this round.
template <class Thread>
SYM_FN void barrier(const Thread& t, const BarrierArguments& a) {
  const Reporter reporter{a.status, a.pe};
  const Patience patience = Patience::starting_now(t, a.timeout_nanoseconds, a.abort);
  const auto* arrivals = reinterpret_cast<const uint64_t*>(a.arrivals);
  constexpr uint64_t kSlotBytes = sizeof(uint64_t);
  enum Argument : uint64_t { kPe };
  if (a.pe >= a.pe_count) {
    reporter.report(Code::kInvalidArgument, a.pe, a.pe_count, a.pe, kPe);
    return;
  }
  fence_system();
  for (uint32_t p = t.thread(); p < a.pe_count; p += t.threads()) {
    store_release_system(arrivals[p] + kSlotBytes * a.pe, a.round);
  }
  for (uint32_t p = t.thread(); p < a.pe_count; p += t.threads()) {
    wait_until_at_least_acquire_system(t, arrivals[a.pe] + kSlotBytes * p, a.round, p, patience, reporter);
  }
  fence_system();
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: one CTA (or more, for long lists) of kCtaThreads threads or fewer.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_signal(const __grid_constant__ symshuffle::SignalArguments arguments) {
  symshuffle::signal(symshuffle::DeviceThread{}, arguments);
}

/// Launch: as symshuffle_signal.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_wait(const __grid_constant__ symshuffle::WaitArguments arguments) {
  symshuffle::wait(symshuffle::DeviceThread{}, arguments);
}

/// Launch: exactly one CTA, of kCtaThreads threads or fewer.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_barrier(const __grid_constant__ symshuffle::BarrierArguments arguments) {
  symshuffle::barrier(symshuffle::DeviceThread{}, arguments);
}
#endif
