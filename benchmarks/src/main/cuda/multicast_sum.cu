// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "granule.h"
#include "lab_layout.h"
#include "memory.h"
#include "platform.h"
#include "report.h"
#include "threads.h"

// NVLink multicast (PTX `multimem`, Hopper): one address for the same offset in every PE's buffer. A reducing
// load returns the combination of all. The host launches the kernel only where NVSHMEM has such an address; on
// a GPU before Hopper it reports Code::kUnsupported.
#if defined(__CUDACC__)

namespace symshuffle::multicast {

#if SYM_HAS_HOPPER

/// Four f32 at once, at a 16-byte aligned address.
SYM_FN Granule load_sum_f32x4_relaxed_system(uint64_t address) {
  float x, y, z, w;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(address)
               : "memory");
  return Granule{{__float_as_uint(x), __float_as_uint(y), __float_as_uint(z), __float_as_uint(w)}};
}

/// Orders accesses by a multicast address with those by a plain address of the same memory.
SYM_FN void fence_alias() {
  asm volatile("fence.proxy.alias;" ::: "memory");
}

SYM_FN void sum(const MulticastSumArguments& a) {
  const DeviceThread t;
  fence_alias();
  const uint64_t all = static_cast<uint64_t>(t.ctas()) * t.threads();
  for (uint64_t i = static_cast<uint64_t>(t.cta()) * t.threads() + t.thread(); i < a.granules; i += all) {
    store(a.output + i * sizeof(Granule), load_sum_f32x4_relaxed_system(a.input + i * sizeof(Granule)));
  }
  fence_alias();
}

#else

SYM_FN void sum(const MulticastSumArguments& a) {
  Reporter{a.status, a.pe}.report(Code::kUnsupported, a.pe, 900, 0, 0);
}

#endif

}  // namespace symshuffle::multicast

/// Like symshuffle_sum over all PEs' inputs, in the switch's order. Launch: any number of CTAs, kCtaThreads or
/// fewer.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_multicast_sum(const __grid_constant__ symshuffle::MulticastSumArguments arguments) {
  symshuffle::multicast::sum(arguments);
}

#endif
