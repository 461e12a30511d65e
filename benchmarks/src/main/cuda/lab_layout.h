// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"

// The structs that the kernels of the lab share with their host code, in addition to those of layout.h. Java:
// io.symshuffle.benchmarks.lab.kernel.LabStruct.
namespace symshuffle {

/// Arguments of `symshuffle_barrier`. Each PE owns a counter, zeroed once, which it alone writes and all read.
/// Rounds of the same counters are 1, 2, 3, …
struct alignas(8) BarrierArguments {
  uint64_t counters;  // u64[pe_count]: the address of each PE's counter
  uint64_t status;    // KernelStatus
  uint64_t timeout_nanoseconds;
  uint64_t round;
  uint32_t pe_count;
  uint32_t pe;
};

/// Arguments of `symshuffle_sum`: out[i] = in0[i] + in1[i] + …, in this order. Buffers are f32[4 * granules],
/// 16-byte aligned.
struct alignas(8) SumArguments {
  uint64_t inputs;  // u64[input_count]: the address of each input
  uint64_t output;
  uint64_t status;  // KernelStatus
  uint64_t granules;
  uint32_t input_count;
  uint32_t pe;
};

/// The sizes of the structs that the lab's host code knows, as its fatbin exports them.
#define SYM_LAB_STRUCT_SIZES sizeof(PullArguments), sizeof(BarrierArguments), sizeof(SumArguments)

static_assert(sizeof(BarrierArguments) == 40);
static_assert(sizeof(SumArguments) == 40);

}  // namespace symshuffle
