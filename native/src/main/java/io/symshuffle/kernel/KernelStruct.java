// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import java.util.List;

/**
 * The structs of layout.h, which documents each field; see {@link DeviceStruct}. A kernel takes its
 * arguments as one struct by value.
 */
sealed interface KernelStruct {

  /** As KernelStatus; read by {@link KernelStatus}. */
  record Status(int code, int pe, int peer, int reserved, long expected, long seen, long address)
      implements KernelStruct {}

  /** As PullDescriptor. */
  record PullDescriptor(long source, long destination, long bytes, int firstUnit, int pe)
      implements KernelStruct {}

  /** As PullArguments. */
  record PullArguments(
      long descriptors,
      long status,
      int descriptorCount,
      int unitCount,
      int tileUnits,
      int spans,
      int pe,
      int reserved)
      implements KernelStruct {}

  /** As CrcDescriptor. */
  record CrcDescriptor(long address, long bytes, int firstUnit, int pe) implements KernelStruct {}

  /** As CrcArguments. */
  record CrcArguments(
      long descriptors,
      long results,
      long status,
      int descriptorCount,
      int unitCount,
      int tileUnits,
      int pe)
      implements KernelStruct {}

  /** As PackDescriptor; written by {@link PackLaunch}. */
  record PackDescriptor(long plain, long bytes, int firstBlock, int reserved)
      implements KernelStruct {}

  /** As PackResult; read by {@link PackLaunch}. */
  record PackResult(long offset, long bytes) implements KernelStruct {}

  /** As PackArguments. */
  record PackArguments(
      long tables,
      long results,
      long to,
      long toBytes,
      long entries,
      long status,
      int tableCount,
      int blockCount,
      int pe,
      int reserved)
      implements KernelStruct {}

  /** As UnpackDescriptor; written by {@link UnpackLaunch}. */
  record UnpackDescriptor(
      long packed, long packedBytes, long plain, long plainBytes, int firstBlock, int reserved)
      implements KernelStruct {}

  /** As UnpackArguments. */
  record UnpackArguments(
      long tables, long results, long status, int tableCount, int blockCount, int pe, int reserved)
      implements KernelStruct {}

  /** As CheckDescriptor; written by {@link CheckTablesLaunch}. */
  record CheckDescriptor(long address, long bytes, int rows, int reserved)
      implements KernelStruct {}

  /** As CheckColumn; written by {@link TableSchema}. */
  record CheckColumn(int kind, int width, int level, int reserved) implements KernelStruct {}

  /** As CheckArguments. */
  record CheckArguments(
      long tables,
      long columns,
      long results,
      long status,
      int tableCount,
      int columnCount,
      int parts,
      int pe)
      implements KernelStruct {}

  /** As AllReduceArguments. */
  record AllReduceArguments(
      long memories,
      long status,
      long stop,
      long offset,
      long count,
      long generation,
      long limitNanoseconds,
      int type,
      int reduction,
      int shots,
      int peCount,
      int pe,
      int reserved)
      implements KernelStruct {}

  /** Returns all structs, in the order in which the fatbin exports their sizes. */
  static List<Class<? extends Record>> all() {
    return List.of(
        Status.class,
        PullDescriptor.class,
        PullArguments.class,
        CrcDescriptor.class,
        CrcArguments.class,
        PackDescriptor.class,
        PackResult.class,
        PackArguments.class,
        UnpackDescriptor.class,
        UnpackArguments.class,
        CheckDescriptor.class,
        CheckColumn.class,
        CheckArguments.class,
        AllReduceArguments.class);
  }
}
