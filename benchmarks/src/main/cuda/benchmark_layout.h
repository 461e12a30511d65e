// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.h"

// The structs that the kernels of the benchmarks share with their host code, in addition to those of
// layout.h. Java: io.symshuffle.benchmarks.kernel.BenchmarkStruct.
namespace symshuffle {

enum class ElementType : uint32_t { kI32 = 0, kI64 = 1, kF32 = 2, kF64 = 3 };
enum class ReduceOperation : uint32_t { kSum = 0, kMin = 1, kMax = 2 };

/// One u64 to set to `value` (signal), or to wait for until it is at least `value` (wait).
///
///      0                       8                       16          20
///     +-----------------------+-----------------------+-----------+---------+
///     | address (8-aligned)   | value                 | pe        | (0)     |
///     +-----------------------+-----------------------+-----------+---------+
struct alignas(8) SignalDescriptor {
  uint64_t address;
  uint64_t value;
  uint32_t pe;  // the other PE
  uint32_t reserved;
};

/// Arguments of `symshuffle_signal`.
struct alignas(8) SignalArguments {
  uint64_t descriptors;  // SignalDescriptor[descriptor_count]
  uint64_t status;       // KernelStatus
  uint32_t descriptor_count;
  uint32_t pe;
};

/// Arguments of `symshuffle_wait`.
struct alignas(8) WaitArguments {
  uint64_t descriptors;  // SignalDescriptor[descriptor_count]
  uint64_t status;       // KernelStatus
  uint64_t abort;        // a u32 that ends the wait once it is not 0 (pinned host memory), or 0: none
  uint64_t timeout_nanoseconds;
  uint32_t descriptor_count;
  uint32_t pe;
};

/// Arguments of `symshuffle_barrier`. Each PE owns an array u64[pe_count] of arrivals, zeroed once;
/// slot p is written by PE p alone. Rounds of one array count 1, 2, 3, …
struct alignas(8) BarrierArguments {
  uint64_t arrivals;  // u64[pe_count]: the address of each PE's array
  uint64_t status;    // KernelStatus
  uint64_t abort;     // as in WaitArguments
  uint64_t timeout_nanoseconds;
  uint64_t round;
  uint32_t pe_count;
  uint32_t pe;
};

/// Arguments of `symshuffle_reduce`: out[i] = in0[i] op in1[i] op …, in this order, for the elements
/// [first_element, first_element + element_count) of every buffer.
struct alignas(8) ReduceArguments {
  uint64_t inputs;   // u64[input_count]: the address of element 0 of each input
  uint64_t outputs;  // u64[output_count]: the same; an output may be an input
  uint64_t status;   // KernelStatus
  uint64_t first_element;
  uint64_t element_count;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t type;       // ElementType
  uint32_t operation;  // ReduceOperation
  uint32_t pe;
  uint32_t reserved;
};

/// Arguments of `symshuffle_broadcast`.
struct alignas(8) BroadcastArguments {
  uint64_t source;
  uint64_t destinations;  // u64[destination_count]
  uint64_t status;        // KernelStatus
  uint64_t bytes;
  uint32_t destination_count;
  uint32_t pe;
};

/// Arguments of `symshuffle_multimem_reduce`: as ReduceArguments, where the input is a multicast address and
/// the output is a multicast address or a plain address of this PE.
struct alignas(8) MultimemReduceArguments {
  uint64_t input;   // multicast address of element 0, 16-byte aligned
  uint64_t output;  // address of element 0, 16-byte aligned
  uint64_t status;  // KernelStatus
  uint64_t first_element;
  uint64_t element_count;
  uint32_t output_is_multicast;  // 0 or 1
  uint32_t type;                 // ElementType
  uint32_t operation;            // ReduceOperation
  uint32_t pe;
};

/// Arguments of `symshuffle_multimem_broadcast`.
struct alignas(8) MultimemBroadcastArguments {
  uint64_t source;       // 16-byte aligned
  uint64_t destination;  // multicast address, 16-byte aligned
  uint64_t status;       // KernelStatus
  uint64_t bytes;        // a multiple of 4
  uint32_t pe;
  uint32_t reserved;
};

/// Arguments of `symshuffle_multimem_barrier`: every PE adds 1 to the counter of all PEs and waits until its
/// own counter is at least `expected` (PEs times round).
struct alignas(8) MultimemBarrierArguments {
  uint64_t multicast_counter;  // multicast address of the u64 counter
  uint64_t counter;            // plain address of this PE's u64 counter
  uint64_t status;             // KernelStatus
  uint64_t abort;              // as in WaitArguments
  uint64_t timeout_nanoseconds;
  uint64_t expected;
  uint32_t pe;
  uint32_t reserved;
};

/// Arguments of `symshuffle_device_pull`. In its descriptors `source` is the address of the piece in
/// this PE's own heap, that is heap_base plus the piece's offset in the heap of PE `pe`.
struct alignas(8) DevicePullArguments {
  PullArguments pull;
  uint64_t peers;      // u64[PEs]: the base of each PE's heap here, or 0: use NVSHMEM
  uint64_t heap_base;  // the base of this PE's own heap
};

/// The sizes of the structs that the benchmarks' host code knows, as their fatbins export them.
#define SYM_BENCHMARK_STRUCT_SIZES                                                                    \
  sizeof(PullArguments), sizeof(SignalDescriptor), sizeof(SignalArguments), sizeof(WaitArguments),    \
      sizeof(BarrierArguments), sizeof(ReduceArguments), sizeof(BroadcastArguments),                  \
      sizeof(MultimemReduceArguments), sizeof(MultimemBroadcastArguments),                            \
      sizeof(MultimemBarrierArguments), sizeof(DevicePullArguments)

static_assert(sizeof(SignalDescriptor) == 24);
static_assert(sizeof(SignalArguments) == 24);
static_assert(sizeof(WaitArguments) == 40);
static_assert(sizeof(BarrierArguments) == 48);
static_assert(sizeof(ReduceArguments) == 64);
static_assert(sizeof(BroadcastArguments) == 40);
static_assert(sizeof(MultimemReduceArguments) == 56);
static_assert(sizeof(MultimemBroadcastArguments) == 40);
static_assert(sizeof(MultimemBarrierArguments) == 56);
static_assert(sizeof(DevicePullArguments) == 56);

}  // namespace symshuffle
