// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#include "granule.h"
#include "lab_layout.h"
#include "lab_tuning.h"
#include "memory.h"
#include "platform.h"
#include "report.h"
#include "threads.h"

namespace symshuffle {

/// The sums of four f32.
SYM_FN Granule add_f32(const Granule& a, const Granule& b) {
  constexpr int kElements = sizeof(Granule) / sizeof(float);
  float x[kElements];
  float y[kElements];
  memcpy(x, &a, sizeof(Granule));
  memcpy(y, &b, sizeof(Granule));
  SYM_UNROLL
  for (int i = 0; i < kElements; ++i) {
    x[i] += y[i];
  }
  Granule result;
  memcpy(&result, x, sizeof(Granule));
  return result;
}

/// Sums granules first, first + stride, …, kSumRows of them. Has as many loads in flight from each PE.
SYM_FN void sum_granules(const SumArguments& a, uint64_t first, uint64_t stride) {
  const auto* inputs = reinterpret_cast<const uint64_t*>(a.inputs);
  Granule sum[kSumRows];
  SYM_NO_UNROLL
  for (uint32_t p = 0; p < a.input_count; ++p) {
    Granule next[kSumRows];
    SYM_UNROLL
    for (int r = 0; r < kSumRows; ++r) {
      const uint64_t at = first + r * stride;
      next[r] = at < a.granules ? load_once(inputs[p] + at * sizeof(Granule)) : Granule{};
    }
    SYM_UNROLL
    for (int r = 0; r < kSumRows; ++r) {
      sum[r] = p == 0 ? next[r] : add_f32(sum[r], next[r]);
    }
  }
  SYM_UNROLL
  for (int r = 0; r < kSumRows; ++r) {
    const uint64_t at = first + r * stride;
    if (at < a.granules) {
      store(a.output + at * sizeof(Granule), sum[r]);
    }
  }
}

/// An all-reduce in one step: this PE reads all PEs' inputs and writes its own output. It needs a barrier
/// before (the inputs are complete) and after (nobody reads them any more). The order of the sum is the same
/// on all PEs, so the results are identical to the bit.
template <class Thread>
SYM_FN void sum(const Thread& t, const SumArguments& a) {
  enum Argument : uint64_t { kInputCount };
  if (a.input_count == 0) {
    Reporter{a.status, a.pe}.report(Code::kInvalidArgument, a.pe, 1, a.input_count, kInputCount);
    return;
  }
  const uint64_t me = static_cast<uint64_t>(t.cta()) * t.threads() + t.thread();
  const uint64_t all = static_cast<uint64_t>(t.ctas()) * t.threads();
  SYM_NO_UNROLL
  for (uint64_t i = me; i < a.granules; i += kSumRows * all) {
    sum_granules(a, i, all);
  }
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_sum(const __grid_constant__ symshuffle::SumArguments arguments) {
  symshuffle::sum(symshuffle::DeviceThread{}, arguments);
}
#endif
