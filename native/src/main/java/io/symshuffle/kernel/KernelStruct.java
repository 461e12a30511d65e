// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;

/**
 * The structs that host and kernels share, as in layout.h, where each field is explained: a
 * component of type {@code long} is a u64, one of type {@code int} a u32, in this order and without
 * gaps. The arguments of a kernel are one struct, passed by value.
 */
sealed interface KernelStruct {

  /** As KernelStatus; read by {@link KernelStatus}. */
  record Status(
      int code,
      int operation,
      int pe,
      int peer,
      long expected,
      long seen,
      long address,
      long waitedNanoseconds,
      long missing,
      long reserved)
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

  /** As SignalDescriptor. */
  record SignalDescriptor(long address, long value, int pe, int reserved) implements KernelStruct {}

  /** As SignalArguments. */
  record SignalArguments(long descriptors, long status, int descriptorCount, int pe)
      implements KernelStruct {}

  /** As WaitArguments. */
  record WaitArguments(
      long descriptors,
      long status,
      long abort,
      long timeoutNanoseconds,
      int descriptorCount,
      int pe)
      implements KernelStruct {}

  /** As BarrierArguments. */
  record BarrierArguments(
      long arrivals,
      long status,
      long abort,
      long timeoutNanoseconds,
      long round,
      int peCount,
      int pe)
      implements KernelStruct {}

  /** As ReduceArguments. */
  record ReduceArguments(
      long inputs,
      long outputs,
      long status,
      long firstElement,
      long elementCount,
      int inputCount,
      int outputCount,
      int type,
      int operation,
      int pe,
      int reserved)
      implements KernelStruct {}

  /** As BroadcastArguments. */
  record BroadcastArguments(
      long source, long destinations, long status, long bytes, int destinationCount, int pe)
      implements KernelStruct {}

  /** As MultimemReduceArguments. */
  record MultimemReduceArguments(
      long input,
      long output,
      long status,
      long firstElement,
      long elementCount,
      int outputIsMulticast,
      int type,
      int operation,
      int pe)
      implements KernelStruct {}

  /** As MultimemBroadcastArguments. */
  record MultimemBroadcastArguments(
      long source, long destination, long status, long bytes, int pe, int reserved)
      implements KernelStruct {}

  /** As MultimemBarrierArguments. */
  record MultimemBarrierArguments(
      long multicastCounter,
      long counter,
      long status,
      long abort,
      long timeoutNanoseconds,
      long expected,
      int pe,
      int reserved)
      implements KernelStruct {}

  /** As DevicePullArguments, whose first field is a PullArguments. */
  record DevicePullArguments(
      long descriptors,
      long status,
      int descriptorCount,
      int unitCount,
      int tileUnits,
      int spans,
      int pe,
      int reserved,
      long peers,
      long heapBase)
      implements KernelStruct {}

  /** As RowArguments. */
  record RowArguments(
      long staging,
      long groupStarts,
      long run,
      long items,
      long other,
      long counts,
      long sums,
      long blockCount,
      long blockPartitions,
      long blockStarts,
      long blockChecksums,
      long status,
      int words,
      int records,
      int partitions,
      int mostBlocks,
      int tileRecords,
      int tileCount,
      int digitShift,
      int digitBits,
      int tileUnits,
      int mostCtas,
      int pe,
      int reserved)
      implements KernelStruct {}

  /** All of them, in the order in which the fatbin exports their sizes. */
  static List<Class<? extends Record>> all() {
    return List.of(
        Status.class,
        PullDescriptor.class,
        PullArguments.class,
        CrcDescriptor.class,
        CrcArguments.class,
        SignalDescriptor.class,
        SignalArguments.class,
        WaitArguments.class,
        BarrierArguments.class,
        ReduceArguments.class,
        BroadcastArguments.class,
        MultimemReduceArguments.class,
        MultimemBroadcastArguments.class,
        MultimemBarrierArguments.class,
        DevicePullArguments.class,
        RowArguments.class);
  }

  /** The struct that a record stands for. */
  static StructLayout layout(Class<? extends Record> type) {
    return MemoryLayout.structLayout(
        Arrays.stream(type.getRecordComponents())
            .map(component -> field(component).withName(component.getName()))
            .toArray(MemoryLayout[]::new));
  }

  private static ValueLayout field(RecordComponent component) {
    return component.getType() == long.class ? JAVA_LONG : JAVA_INT;
  }

  /** Where a field lies. */
  static long offset(Class<? extends Record> type, String field) {
    return layout(type).byteOffset(PathElement.groupElement(field));
  }

  /** Writes a struct to the beginning of a segment. */
  static void write(Record struct, MemorySegment to) {
    long offset = 0;
    try {
      for (RecordComponent component : struct.getClass().getRecordComponents()) {
        Object value = component.getAccessor().invoke(struct);
        if (value instanceof Long number) {
          to.set(JAVA_LONG, offset, number);
        } else {
          to.set(JAVA_INT, offset, (int) value);
        }
        offset += field(component).byteSize();
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read " + struct.getClass(), e);
    }
  }
}
