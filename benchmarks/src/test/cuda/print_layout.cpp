// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "benchmark_layout.cu"
#include "print_layout.h"

// The structs of benchmark_layout.h.
namespace symshuffle::test {

void print_layout() {
  SYM_NUMBER(kTmaCtaThreads);
  SYM_NUMBER(kTmaTileUnits);
  std::printf("number kTmaSharedBytes %zu\n", sizeof(BulkMemory));

  SYM_ENUM(ElementType, kI32);
  SYM_ENUM(ElementType, kI64);
  SYM_ENUM(ElementType, kF32);
  SYM_ENUM(ElementType, kF64);
  SYM_ENUM(ReduceOperation, kSum);
  SYM_ENUM(ReduceOperation, kMin);
  SYM_ENUM(ReduceOperation, kMax);

  SYM_STRUCT(PullArguments);
  SYM_FIELD(PullArguments, descriptors);
  SYM_FIELD(PullArguments, status);
  SYM_FIELD(PullArguments, descriptor_count);
  SYM_FIELD(PullArguments, unit_count);
  SYM_FIELD(PullArguments, tile_units);
  SYM_FIELD(PullArguments, spans);
  SYM_FIELD(PullArguments, pe);
  SYM_FIELD(PullArguments, reserved);

  SYM_STRUCT(SignalDescriptor);
  SYM_FIELD(SignalDescriptor, address);
  SYM_FIELD(SignalDescriptor, value);
  SYM_FIELD(SignalDescriptor, pe);
  SYM_FIELD(SignalDescriptor, reserved);

  SYM_STRUCT(SignalArguments);
  SYM_FIELD(SignalArguments, descriptors);
  SYM_FIELD(SignalArguments, status);
  SYM_FIELD(SignalArguments, descriptor_count);
  SYM_FIELD(SignalArguments, pe);

  SYM_STRUCT(WaitArguments);
  SYM_FIELD(WaitArguments, descriptors);
  SYM_FIELD(WaitArguments, status);
  SYM_FIELD(WaitArguments, abort);
  SYM_FIELD(WaitArguments, timeout_nanoseconds);
  SYM_FIELD(WaitArguments, descriptor_count);
  SYM_FIELD(WaitArguments, pe);

  SYM_STRUCT(BarrierArguments);
  SYM_FIELD(BarrierArguments, arrivals);
  SYM_FIELD(BarrierArguments, status);
  SYM_FIELD(BarrierArguments, abort);
  SYM_FIELD(BarrierArguments, timeout_nanoseconds);
  SYM_FIELD(BarrierArguments, round);
  SYM_FIELD(BarrierArguments, pe_count);
  SYM_FIELD(BarrierArguments, pe);

  SYM_STRUCT(ReduceArguments);
  SYM_FIELD(ReduceArguments, inputs);
  SYM_FIELD(ReduceArguments, outputs);
  SYM_FIELD(ReduceArguments, status);
  SYM_FIELD(ReduceArguments, first_element);
  SYM_FIELD(ReduceArguments, element_count);
  SYM_FIELD(ReduceArguments, input_count);
  SYM_FIELD(ReduceArguments, output_count);
  SYM_FIELD(ReduceArguments, type);
  SYM_FIELD(ReduceArguments, operation);
  SYM_FIELD(ReduceArguments, pe);
  SYM_FIELD(ReduceArguments, reserved);

  SYM_STRUCT(BroadcastArguments);
  SYM_FIELD(BroadcastArguments, source);
  SYM_FIELD(BroadcastArguments, destinations);
  SYM_FIELD(BroadcastArguments, status);
  SYM_FIELD(BroadcastArguments, bytes);
  SYM_FIELD(BroadcastArguments, destination_count);
  SYM_FIELD(BroadcastArguments, pe);

  SYM_STRUCT(MultimemReduceArguments);
  SYM_FIELD(MultimemReduceArguments, input);
  SYM_FIELD(MultimemReduceArguments, output);
  SYM_FIELD(MultimemReduceArguments, status);
  SYM_FIELD(MultimemReduceArguments, first_element);
  SYM_FIELD(MultimemReduceArguments, element_count);
  SYM_FIELD(MultimemReduceArguments, output_is_multicast);
  SYM_FIELD(MultimemReduceArguments, type);
  SYM_FIELD(MultimemReduceArguments, operation);
  SYM_FIELD(MultimemReduceArguments, pe);

  SYM_STRUCT(MultimemBroadcastArguments);
  SYM_FIELD(MultimemBroadcastArguments, source);
  SYM_FIELD(MultimemBroadcastArguments, destination);
  SYM_FIELD(MultimemBroadcastArguments, status);
  SYM_FIELD(MultimemBroadcastArguments, bytes);
  SYM_FIELD(MultimemBroadcastArguments, pe);
  SYM_FIELD(MultimemBroadcastArguments, reserved);

  SYM_STRUCT(MultimemBarrierArguments);
  SYM_FIELD(MultimemBarrierArguments, multicast_counter);
  SYM_FIELD(MultimemBarrierArguments, counter);
  SYM_FIELD(MultimemBarrierArguments, status);
  SYM_FIELD(MultimemBarrierArguments, abort);
  SYM_FIELD(MultimemBarrierArguments, timeout_nanoseconds);
  SYM_FIELD(MultimemBarrierArguments, expected);
  SYM_FIELD(MultimemBarrierArguments, pe);
  SYM_FIELD(MultimemBarrierArguments, reserved);

  SYM_STRUCT(DevicePullArguments);
  // The first field is a struct. Java lists its fields one by one.
  SYM_FIELD(DevicePullArguments, pull.descriptors);
  SYM_FIELD(DevicePullArguments, pull.status);
  SYM_FIELD(DevicePullArguments, pull.descriptor_count);
  SYM_FIELD(DevicePullArguments, pull.unit_count);
  SYM_FIELD(DevicePullArguments, pull.tile_units);
  SYM_FIELD(DevicePullArguments, pull.spans);
  SYM_FIELD(DevicePullArguments, pull.pe);
  SYM_FIELD(DevicePullArguments, pull.reserved);
  SYM_FIELD(DevicePullArguments, peers);
  SYM_FIELD(DevicePullArguments, heap_base);
}

}  // namespace symshuffle::test
