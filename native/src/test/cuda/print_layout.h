// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <utility>

#include "bulk_memory.h"
#include "layout.h"
#include "slices.h"
#include "tuning.h"

// The structs of layout.h as the compiler lays them out, for the Java side to compare with its own.
namespace symshuffle::test {

#define SYM_STRUCT(name) std::printf("struct %s %zu\n", #name, sizeof(name))
#define SYM_FIELD(name, field)                                               \
  std::printf("field %s.%s %zu %zu\n", #name, #field, offsetof(name, field), \
              sizeof(std::declval<name>().field))
#define SYM_NUMBER(name) std::printf("number %s %llu\n", #name, static_cast<unsigned long long>(name))
#define SYM_ENUM(type, name) std::printf("enum %s.%s %u\n", #type, #name, static_cast<unsigned>(type::name))

inline void print_layout() {
  SYM_NUMBER(kLayoutMagic);
  SYM_NUMBER(kLayoutVersion);
  SYM_NUMBER(kUnitBytes);
  SYM_NUMBER(kMostPieceBytes);
  SYM_NUMBER(kMostUnits);
  SYM_NUMBER(kCtaThreads);
  SYM_NUMBER(kTmaCtaThreads);
  SYM_NUMBER(kTmaTileUnits);
  SYM_NUMBER(kStructCount);
  SYM_NUMBER(kMostRowWords);
  SYM_NUMBER(kMostRowPartitions);
  SYM_NUMBER(kMostRowTiles);
  SYM_NUMBER(kMostRowDigitBits);
  SYM_NUMBER(kRowGroupRecords);
  std::printf("number kTmaSharedBytes %zu\n", sizeof(BulkMemory));

  SYM_ENUM(Code, kOk);
  SYM_ENUM(Code, kTimeout);
  SYM_ENUM(Code, kAborted);
  SYM_ENUM(Code, kInvalidPlan);
  SYM_ENUM(Code, kInvalidArgument);
  SYM_ENUM(Code, kMisaligned);
  SYM_ENUM(Code, kUnsupported);
  SYM_ENUM(Code, kDamagedRecord);
  SYM_ENUM(Operation, kNone);
  SYM_ENUM(Operation, kPull);
  SYM_ENUM(Operation, kPullTma);
  SYM_ENUM(Operation, kPush);
  SYM_ENUM(Operation, kCrc32c);
  SYM_ENUM(Operation, kSignal);
  SYM_ENUM(Operation, kWait);
  SYM_ENUM(Operation, kBarrier);
  SYM_ENUM(Operation, kReduce);
  SYM_ENUM(Operation, kBroadcast);
  SYM_ENUM(Operation, kMultimemReduce);
  SYM_ENUM(Operation, kMultimemBroadcast);
  SYM_ENUM(Operation, kMultimemBarrier);
  SYM_ENUM(Operation, kDevicePull);
  SYM_ENUM(Operation, kRowPartition);
  SYM_ENUM(ElementType, kI32);
  SYM_ENUM(ElementType, kI64);
  SYM_ENUM(ElementType, kF32);
  SYM_ENUM(ElementType, kF64);
  SYM_ENUM(ReduceOperation, kSum);
  SYM_ENUM(ReduceOperation, kMin);
  SYM_ENUM(ReduceOperation, kMax);

  SYM_STRUCT(KernelStatus);
  SYM_FIELD(KernelStatus, code);
  SYM_FIELD(KernelStatus, operation);
  SYM_FIELD(KernelStatus, pe);
  SYM_FIELD(KernelStatus, peer);
  SYM_FIELD(KernelStatus, expected);
  SYM_FIELD(KernelStatus, seen);
  SYM_FIELD(KernelStatus, address);
  SYM_FIELD(KernelStatus, waited_nanoseconds);
  SYM_FIELD(KernelStatus, missing);
  SYM_FIELD(KernelStatus, reserved);

  SYM_STRUCT(PullDescriptor);
  SYM_FIELD(PullDescriptor, source);
  SYM_FIELD(PullDescriptor, destination);
  SYM_FIELD(PullDescriptor, bytes);
  SYM_FIELD(PullDescriptor, first_unit);
  SYM_FIELD(PullDescriptor, pe);

  SYM_STRUCT(PullArguments);
  SYM_FIELD(PullArguments, descriptors);
  SYM_FIELD(PullArguments, status);
  SYM_FIELD(PullArguments, descriptor_count);
  SYM_FIELD(PullArguments, unit_count);
  SYM_FIELD(PullArguments, tile_units);
  SYM_FIELD(PullArguments, spans);
  SYM_FIELD(PullArguments, pe);
  SYM_FIELD(PullArguments, reserved);

  SYM_STRUCT(CrcDescriptor);
  SYM_FIELD(CrcDescriptor, address);
  SYM_FIELD(CrcDescriptor, bytes);
  SYM_FIELD(CrcDescriptor, first_unit);
  SYM_FIELD(CrcDescriptor, pe);

  SYM_STRUCT(CrcArguments);
  SYM_FIELD(CrcArguments, descriptors);
  SYM_FIELD(CrcArguments, results);
  SYM_FIELD(CrcArguments, status);
  SYM_FIELD(CrcArguments, descriptor_count);
  SYM_FIELD(CrcArguments, unit_count);
  SYM_FIELD(CrcArguments, tile_units);
  SYM_FIELD(CrcArguments, pe);

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
  // Its first field is a struct, which Java has field by field.
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

  SYM_STRUCT(RowArguments);
  SYM_FIELD(RowArguments, staging);
  SYM_FIELD(RowArguments, group_starts);
  SYM_FIELD(RowArguments, run);
  SYM_FIELD(RowArguments, items);
  SYM_FIELD(RowArguments, other);
  SYM_FIELD(RowArguments, counts);
  SYM_FIELD(RowArguments, sums);
  SYM_FIELD(RowArguments, block_count);
  SYM_FIELD(RowArguments, block_partitions);
  SYM_FIELD(RowArguments, block_starts);
  SYM_FIELD(RowArguments, block_checksums);
  SYM_FIELD(RowArguments, status);
  SYM_FIELD(RowArguments, words);
  SYM_FIELD(RowArguments, records);
  SYM_FIELD(RowArguments, partitions);
  SYM_FIELD(RowArguments, most_blocks);
  SYM_FIELD(RowArguments, tile_records);
  SYM_FIELD(RowArguments, tile_count);
  SYM_FIELD(RowArguments, digit_shift);
  SYM_FIELD(RowArguments, digit_bits);
  SYM_FIELD(RowArguments, tile_units);
  SYM_FIELD(RowArguments, most_ctas);
  SYM_FIELD(RowArguments, pe);
  SYM_FIELD(RowArguments, reserved);
}

#undef SYM_STRUCT
#undef SYM_FIELD
#undef SYM_NUMBER
#undef SYM_ENUM

}  // namespace symshuffle::test
