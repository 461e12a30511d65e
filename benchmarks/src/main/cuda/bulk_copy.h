// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"
#include "platform.h"
#include "report.h"
#include "threads.h"

#if SYM_HAS_HOPPER

namespace symshuffle {

/// Bulk copies between global and shared memory (cp.async.bulk, Hopper), as BulkRing's engine. One
/// thread uses it. Addresses and lengths are multiples of 16 bytes.
struct BulkEngine {
  uint32_t stages;  // shared address of the stages
  uint32_t stage_bytes;
  uint32_t barriers;  // shared address of one mbarrier (8 bytes) per stage
  uint64_t timeout_nanoseconds;
  Reporter reporter;

  static SYM_FN uint32_t shared_address(const void* pointer) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
  }

  SYM_FN uint32_t barrier(uint32_t stage) const { return barriers + 8 * stage; }

  SYM_FN void prepare(uint32_t stage_count) const {
    for (uint32_t stage = 0; stage < stage_count; ++stage) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier(stage)) : "memory");
    }
    // Bulk copies use the async proxy, which must see the barriers before the first copy uses them.
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
  }

  SYM_FN void start_load(uint32_t stage, uint64_t source, uint32_t bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier(stage)), "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            stages + stage * stage_bytes),
        "l"(source), "r"(bytes), "r"(barrier(stage))
        : "memory");
  }

  SYM_FN bool wait_for_load(uint32_t stage, uint32_t round, uint32_t pe) const {
    const DeviceThread t;
    const uint64_t start = t.now_nanoseconds();
    while (true) {
      uint32_t there;
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(there)
          : "r"(barrier(stage)), "r"(round & 1)
          : "memory");
      if (there != 0) {
        return true;
      }
      const uint64_t waited = t.now_nanoseconds() - start;
      if (waited >= timeout_nanoseconds) {
        reporter.report_missing(pe);
        reporter.report(Code::kTimeout, pe, round, stage, 0, waited);
        return false;
      }
    }
  }

  SYM_FN void start_store(uint32_t stage, uint64_t destination, uint32_t bytes) const {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(destination),
                 "r"(stages + stage * stage_bytes), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }

  template <uint32_t kPending>
  SYM_FN void wait_for_stage() const {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
  }

  SYM_FN void wait_for_stores() const { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
};

}  // namespace symshuffle

#endif
