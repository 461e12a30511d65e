// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "platform.h"
#include "report.h"
#include "lab_tuning.h"

namespace symshuffle {

/// When a wait ends: at a deadline of the GPU's clock.
struct Patience {
  uint64_t start_nanoseconds;
  uint64_t timeout_nanoseconds;

  template <class Thread>
  static SYM_FN Patience starting_now(const Thread& t, uint64_t timeout_nanoseconds) {
    return Patience{t.now_nanoseconds(), timeout_nanoseconds};
  }
};

/// Waits until the u64 at `address` is at least `value`; earlier writes of its writer are then visible to
/// this thread. Returns false and reports `peer` if the wait ends first. Even a timeout of 0 finds a value
/// that is already set.
template <class Thread>
SYM_FN bool wait_until_at_least_acquire_system(const Thread& t, uint64_t address, uint64_t value,
                                               uint32_t peer, const Patience& patience,
                                               const Reporter& reporter) {
  uint32_t pause = kFirstPauseNanoseconds;
  while (true) {
    const uint64_t seen = load_acquire_system(address);
    if (seen >= value) {
      return true;
    }
    const uint64_t waited = t.now_nanoseconds() - patience.start_nanoseconds;
    if (waited >= patience.timeout_nanoseconds) {
      reporter.report_missing(peer);
      reporter.report(Code::kTimeout, peer, value, seen, address, waited);
      return false;
    }
    t.pause(pause);
    pause = smaller(2 * pause, kLastPauseNanoseconds);
  }
}

}  // namespace symshuffle
