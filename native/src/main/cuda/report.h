// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "platform.h"

namespace symshuffle {

/// Who speaks, and where it writes.
struct Reporter {
  uint64_t status;  // address of a KernelStatus
  uint32_t pe;

  /// The first report of a launch fills in the status; later ones are dropped. The kernel goes on or
  /// returns as it sees fit: it never traps, since that would spoil the context of the whole process.
  SYM_FN void report(Code code, uint32_t peer, uint64_t expected, uint64_t seen, uint64_t address,
                     uint64_t waited_nanoseconds = 0) const {
    if (compare_and_swap_device(status + offsetof(KernelStatus, code), 0, static_cast<uint32_t>(code)) != 0) {
      return;
    }
    store_value<uint32_t>(status + offsetof(KernelStatus, pe), pe);
    store_value<uint32_t>(status + offsetof(KernelStatus, peer), peer);
    store_value<uint64_t>(status + offsetof(KernelStatus, expected), expected);
    store_value<uint64_t>(status + offsetof(KernelStatus, seen), seen);
    store_value<uint64_t>(status + offsetof(KernelStatus, address), address);
    store_value<uint64_t>(status + offsetof(KernelStatus, waited_nanoseconds), waited_nanoseconds);
  }

  /// Adds `peer` to those that did not come; PEs from 64 up are seen in `peer` alone.
  SYM_FN void report_missing(uint32_t peer) const {
    if (peer < 64) {
      fetch_or_device(status + offsetof(KernelStatus, missing), 1ULL << peer);
    }
  }
};

}  // namespace symshuffle
