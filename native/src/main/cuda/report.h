// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "memory.h"
#include "platform.h"

namespace symshuffle {

/// Reports failures of one PE's kernel to its status.
struct Reporter {
  uint64_t status;  // address of a KernelStatus
  uint32_t pe;

  /// The first report of a launch fills in the status; later ones are dropped. The kernel then continues or
  /// returns, but never traps, since a trap would make the context unusable for the whole process.
  SYM_FN void report(Code code, uint32_t peer, uint64_t expected, uint64_t seen, uint64_t address) const {
    if (compare_and_swap_device(status + offsetof(KernelStatus, code), 0, static_cast<uint32_t>(code)) != 0) {
      return;
    }
    store_value<uint32_t>(status + offsetof(KernelStatus, pe), pe);
    store_value<uint32_t>(status + offsetof(KernelStatus, peer), peer);
    store_value<uint64_t>(status + offsetof(KernelStatus, expected), expected);
    store_value<uint64_t>(status + offsetof(KernelStatus, seen), seen);
    store_value<uint64_t>(status + offsetof(KernelStatus, address), address);
  }
};

}  // namespace symshuffle
