// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "platform.h"
#include "report.h"
#include "benchmark_tuning.h"

namespace symshuffle {

/// When a wait gives up: at a time of the GPU's clock, or when a word in memory is no longer 0.
struct Patience {
  uint64_t start_nanoseconds;
  uint64_t timeout_nanoseconds;
  uint64_t abort;  // address of a u32, or 0

  template <class Thread>
  static SYM_FN Patience starting_now(const Thread& t, uint64_t timeout_nanoseconds, uint64_t abort) {
    return Patience{t.now_nanoseconds(), timeout_nanoseconds, abort};
  }
};

/// Waits until the u64 at `address` is `value` or more; then everything that its writer had done before
/// is visible to this thread. False, and a report that names `peer`, when patience ends first. A value
/// that is there already is found even with a timeout of 0.
template <class Thread>
SYM_FN bool wait_until_at_least_acquire_system(const Thread& t, uint64_t address, uint64_t value,
                                               uint32_t peer, const Patience& patience,
                                               const Reporter& reporter) {
  uint32_t pause = kFirstPauseNanoseconds;
  for (uint32_t look = 0;; ++look) {
    const uint64_t seen = load_acquire_system(address);
    if (seen >= value) {
      return true;
    }
    Code code = Code::kOk;
    if (patience.abort != 0 && look % kLooksPerAbortCheck == 0 &&
        load_relaxed_system_u32(patience.abort) != 0) {
      code = Code::kAborted;
    }
    const uint64_t waited = t.now_nanoseconds() - patience.start_nanoseconds;
    if (waited >= patience.timeout_nanoseconds) {
      code = Code::kTimeout;
    }
    if (code != Code::kOk) {
      reporter.report_missing(peer);
      reporter.report(code, peer, value, seen, address, waited);
      return false;
    }
    t.pause(pause);
    pause = smaller(2 * pause, kLastPauseNanoseconds);
  }
}

}  // namespace symshuffle
