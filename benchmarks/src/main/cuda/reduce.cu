// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "combine.h"
#include "dispatch.h"
#include "benchmark_layout.h"
#include "memory.h"
#include "platform.h"
#include "report.h"
#include "threads.h"
#include "benchmark_tuning.h"

namespace symshuffle {

/// Divides the elements of all buffers: [0, head) and [tail, elements) are combined one by one, [head, tail)
/// by granules. All are combined one by one if the buffers are misaligned relative to each other.
struct ReducePlan {
  uint64_t head;
  uint64_t tail;
};

template <class T>
SYM_FN ReducePlan plan_reduction(const ReduceArguments& a) {
  constexpr uint64_t low = sizeof(Granule) - 1;
  constexpr uint64_t kElements = sizeof(Granule) / sizeof(T);
  const auto* inputs = reinterpret_cast<const uint64_t*>(a.inputs);
  const auto* outputs = reinterpret_cast<const uint64_t*>(a.outputs);
  const uint64_t first = inputs[0] + a.first_element * sizeof(T);
  uint64_t differences = 0;
  SYM_NO_UNROLL
  for (uint32_t i = 1; i < a.input_count; ++i) {
    differences |= (inputs[i] ^ inputs[0]) & low;
  }
  SYM_NO_UNROLL
  for (uint32_t i = 0; i < a.output_count; ++i) {
    differences |= (outputs[i] ^ inputs[0]) & low;
  }
  if (differences != 0) {
    return ReducePlan{a.element_count, a.element_count};
  }
  const uint64_t head = smaller(((0 - first) & low) / sizeof(T), a.element_count);
  return ReducePlan{head, head + (a.element_count - head) / kElements * kElements};
}

/// Combines element `i` of every input, in order, into every output.
template <class T, ReduceOperation kOperation>
SYM_FN void reduce_element(const ReduceArguments& a, uint64_t i) {
  const auto* inputs = reinterpret_cast<const uint64_t*>(a.inputs);
  const auto* outputs = reinterpret_cast<const uint64_t*>(a.outputs);
  const uint64_t offset = (a.first_element + i) * sizeof(T);
  T sum = load_value<T>(inputs[0] + offset);
  SYM_NO_UNROLL
  for (uint32_t p = 1; p < a.input_count; ++p) {
    sum = combine<T, kOperation>(sum, load_value<T>(inputs[p] + offset));
  }
  SYM_NO_UNROLL
  for (uint32_t p = 0; p < a.output_count; ++p) {
    store_value<T>(outputs[p] + offset, sum);
  }
}

/// Combines kRows granules i, i + stride, … below `end`, starting `offset` bytes into the buffers. Has kRows
/// loads in flight from each PE.
template <class T, ReduceOperation kOperation, int kRows>
SYM_FN void reduce_granules(const ReduceArguments& a, uint64_t offset, uint64_t i, uint64_t stride,
                            uint64_t end) {
  const auto* inputs = reinterpret_cast<const uint64_t*>(a.inputs);
  const auto* outputs = reinterpret_cast<const uint64_t*>(a.outputs);
  Granule sum[kRows];
  SYM_NO_UNROLL
  for (uint32_t p = 0; p < a.input_count; ++p) {
    const uint64_t from = inputs[p] + offset;
    Granule next[kRows];
    SYM_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const uint64_t at = i + r * stride;
      next[r] = at < end ? load_once(from + at * sizeof(Granule)) : Granule{};
    }
    SYM_UNROLL
    for (int r = 0; r < kRows; ++r) {
      sum[r] = p == 0 ? next[r] : combine_granules<T, kOperation>(sum[r], next[r]);
    }
  }
  SYM_NO_UNROLL
  for (uint32_t p = 0; p < a.output_count; ++p) {
    const uint64_t to = outputs[p] + offset;
    SYM_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const uint64_t at = i + r * stride;
      if (at < end) {
        store(to + at * sizeof(Granule), sum[r]);
      }
    }
  }
}

template <class T, ReduceOperation kOperation, class Thread>
SYM_FN void reduce_elements(const Thread& t, const ReduceArguments& a) {
  const uint64_t me = static_cast<uint64_t>(t.cta()) * t.threads() + t.thread();
  const uint64_t all = static_cast<uint64_t>(t.ctas()) * t.threads();
  const ReducePlan plan = plan_reduction<T>(a);
  SYM_NO_UNROLL
  for (uint64_t i = me; i < plan.head; i += all) {
    reduce_element<T, kOperation>(a, i);
  }
  const uint64_t granules = (plan.tail - plan.head) * sizeof(T) / sizeof(Granule);
  const uint64_t offset = (a.first_element + plan.head) * sizeof(T);
  SYM_NO_UNROLL
  for (uint64_t i = me; i < granules; i += kReduceRows * all) {
    reduce_granules<T, kOperation, kReduceRows>(a, offset, i, all, granules);
  }
  SYM_NO_UNROLL
  for (uint64_t i = plan.tail + me; i < a.element_count; i += all) {
    reduce_element<T, kOperation>(a, i);
  }
}

template <class Thread>
struct ReduceBody {
  const Thread& t;
  const ReduceArguments& a;

  template <class T, ReduceOperation kOperation>
  SYM_FN void run() const {
    reduce_elements<T, kOperation>(t, a);
  }
};

/// Combines the inputs, element by element and in their order, into every output. An all-reduce takes one
/// step with all PEs' buffers as inputs and this PE's buffer as output, or two steps, with less traffic for
/// three or more PEs, where each PE combines its share of the elements of all PEs' buffers into all PEs'
/// buffers. Both need a barrier before (the inputs are complete) and after (the outputs are complete). The
/// order is the same on all PEs, so the results are identical to the bit. In one step an output must not be
/// an input of another PE.
template <class Thread>
SYM_FN void reduce(const Thread& t, const ReduceArguments& a) {
  const Reporter reporter{a.status, a.pe};
  enum Argument : uint64_t { kTypeAndOperation, kInputCount };
  if (a.input_count == 0) {
    reporter.report(Code::kInvalidArgument, a.pe, 1, a.input_count, kInputCount);
  } else if (!dispatch_reduction(a.type, a.operation, ReduceBody<Thread>{t, a})) {
    reporter.report(Code::kUnsupported, a.pe, a.operation, a.type, kTypeAndOperation);
  }
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads)
    symshuffle_reduce(const __grid_constant__ symshuffle::ReduceArguments arguments) {
  symshuffle::reduce(symshuffle::DeviceThread{}, arguments);
}
#endif
