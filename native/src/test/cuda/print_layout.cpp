// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "layout.h"
#include "print_layout.h"
#include "slices.h"
#include "tuning.h"

// The structs of layout.h as the compiler lays them out, for the tests in Java to compare with theirs.
namespace symshuffle::test {

void print_layout() {
  SYM_NUMBER(kLayoutMagic);
  SYM_NUMBER(kLayoutVersion);
  SYM_NUMBER(kUnitBytes);
  SYM_NUMBER(kMaxPieceBytes);
  SYM_NUMBER(kMaxUnits);
  SYM_NUMBER(kCtaThreads);
  SYM_NUMBER(kSerializedMagic);
  SYM_NUMBER(kSerializedHeaderBytes);
  SYM_NUMBER(kMaxSchemaDepth);
  SYM_NUMBER(kPackedMagic);
  SYM_NUMBER(kPackedVersion);
  SYM_NUMBER(kPackedHeaderBytes);
  SYM_NUMBER(kPackedEntryBytes);
  SYM_NUMBER(kPackBlockBytes);
  SYM_NUMBER(kMaxPackBytes);
  SYM_NUMBER(kPackThreads);
  SYM_NUMBER(kMaxReduceCtas);
  SYM_NUMBER(kFlagBytes);

  SYM_ENUM(Code, kOk);
  SYM_ENUM(Code, kInvalidPlan);
  SYM_ENUM(Code, kInvalidArgument);
  SYM_ENUM(Code, kMisaligned);
  SYM_ENUM(Code, kLatePe);
  SYM_ENUM(ReducedType, kFloat);
  SYM_ENUM(ReducedType, kDouble);
  SYM_ENUM(ReducedType, kInt);
  SYM_ENUM(ReducedType, kLong);
  SYM_ENUM(ReductionKind, kSum);
  SYM_ENUM(ReductionKind, kMin);
  SYM_ENUM(ReductionKind, kMax);
  SYM_ENUM(SerializedKind, kFixed);
  SYM_ENUM(SerializedKind, kString);
  SYM_ENUM(SerializedKind, kList);
  SYM_ENUM(SerializedKind, kStruct);
  SYM_ENUM(TableProblem, kNone);
  SYM_ENUM(TableProblem, kMisaligned);
  SYM_ENUM(TableProblem, kShort);
  SYM_ENUM(TableProblem, kMagic);
  SYM_ENUM(TableProblem, kRows);
  SYM_ENUM(TableProblem, kColumns);
  SYM_ENUM(TableProblem, kSections);
  SYM_ENUM(TableProblem, kValidityBytes);
  SYM_ENUM(TableProblem, kOffsetBytes);
  SYM_ENUM(TableProblem, kDataBytes);
  SYM_ENUM(TableProblem, kOffsets);
  SYM_ENUM(TableProblem, kBatch);
  SYM_STRUCT(KernelStatus);
  SYM_FIELD(KernelStatus, code);
  SYM_FIELD(KernelStatus, pe);
  SYM_FIELD(KernelStatus, peer);
  SYM_FIELD(KernelStatus, reserved);
  SYM_FIELD(KernelStatus, expected);
  SYM_FIELD(KernelStatus, seen);
  SYM_FIELD(KernelStatus, address);

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

  SYM_STRUCT(PackDescriptor);
  SYM_FIELD(PackDescriptor, plain);
  SYM_FIELD(PackDescriptor, bytes);
  SYM_FIELD(PackDescriptor, first_block);
  SYM_FIELD(PackDescriptor, reserved);

  SYM_STRUCT(PackResult);
  SYM_FIELD(PackResult, offset);
  SYM_FIELD(PackResult, bytes);

  SYM_STRUCT(PackArguments);
  SYM_FIELD(PackArguments, tables);
  SYM_FIELD(PackArguments, results);
  SYM_FIELD(PackArguments, to);
  SYM_FIELD(PackArguments, to_bytes);
  SYM_FIELD(PackArguments, entries);
  SYM_FIELD(PackArguments, status);
  SYM_FIELD(PackArguments, table_count);
  SYM_FIELD(PackArguments, block_count);
  SYM_FIELD(PackArguments, pe);
  SYM_FIELD(PackArguments, reserved);

  SYM_STRUCT(UnpackDescriptor);
  SYM_FIELD(UnpackDescriptor, packed);
  SYM_FIELD(UnpackDescriptor, packed_bytes);
  SYM_FIELD(UnpackDescriptor, plain);
  SYM_FIELD(UnpackDescriptor, plain_bytes);
  SYM_FIELD(UnpackDescriptor, first_block);
  SYM_FIELD(UnpackDescriptor, reserved);

  SYM_STRUCT(UnpackArguments);
  SYM_FIELD(UnpackArguments, tables);
  SYM_FIELD(UnpackArguments, results);
  SYM_FIELD(UnpackArguments, status);
  SYM_FIELD(UnpackArguments, table_count);
  SYM_FIELD(UnpackArguments, block_count);
  SYM_FIELD(UnpackArguments, pe);
  SYM_FIELD(UnpackArguments, reserved);

  SYM_STRUCT(CheckDescriptor);
  SYM_FIELD(CheckDescriptor, address);
  SYM_FIELD(CheckDescriptor, bytes);
  SYM_FIELD(CheckDescriptor, rows);
  SYM_FIELD(CheckDescriptor, reserved);

  SYM_STRUCT(CheckColumn);
  SYM_FIELD(CheckColumn, kind);
  SYM_FIELD(CheckColumn, width);
  SYM_FIELD(CheckColumn, level);
  SYM_FIELD(CheckColumn, reserved);

  SYM_STRUCT(CheckArguments);
  SYM_FIELD(CheckArguments, tables);
  SYM_FIELD(CheckArguments, columns);
  SYM_FIELD(CheckArguments, results);
  SYM_FIELD(CheckArguments, status);
  SYM_FIELD(CheckArguments, table_count);
  SYM_FIELD(CheckArguments, column_count);
  SYM_FIELD(CheckArguments, parts);
  SYM_FIELD(CheckArguments, pe);

  SYM_STRUCT(AllReduceArguments);
  SYM_FIELD(AllReduceArguments, memories);
  SYM_FIELD(AllReduceArguments, status);
  SYM_FIELD(AllReduceArguments, stop);
  SYM_FIELD(AllReduceArguments, offset);
  SYM_FIELD(AllReduceArguments, count);
  SYM_FIELD(AllReduceArguments, generation);
  SYM_FIELD(AllReduceArguments, limit_nanoseconds);
  SYM_FIELD(AllReduceArguments, type);
  SYM_FIELD(AllReduceArguments, reduction);
  SYM_FIELD(AllReduceArguments, shots);
  SYM_FIELD(AllReduceArguments, pe_count);
  SYM_FIELD(AllReduceArguments, pe);
  SYM_FIELD(AllReduceArguments, reserved);
}

}  // namespace symshuffle::test
