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

/**
 * Maps records to structs that host and kernels share: a component of type {@code long} is a u64,
 * one of type {@code int} a u32, in the same order and without padding.
 */
public final class DeviceStruct {
  private DeviceStruct() {}

  /** Returns the layout of a struct. */
  public static StructLayout layout(Class<? extends Record> type) {
    return MemoryLayout.structLayout(
        Arrays.stream(type.getRecordComponents())
            .map(component -> field(component).withName(component.getName()))
            .toArray(MemoryLayout[]::new));
  }

  private static ValueLayout field(RecordComponent component) {
    return component.getType() == long.class ? JAVA_LONG : JAVA_INT;
  }

  /** {@return the offset of a field in bytes} */
  public static long offset(Class<? extends Record> type, String field) {
    return layout(type).byteOffset(PathElement.groupElement(field));
  }

  /**
   * Returns a struct in heap memory: launches happen too often for native memory that several
   * threads may use, since freeing it interrupts every thread of the process.
   *
   * @return a segment of the struct's length, 8-byte aligned
   */
  static MemorySegment of(Record struct) {
    int components = struct.getClass().getRecordComponents().length;
    MemorySegment longest = MemorySegment.ofArray(new long[components]);
    return longest.asSlice(0, write(struct, longest));
  }

  /**
   * Writes a struct to the beginning of a segment.
   *
   * @param to at least as long as the struct
   * @return its length in bytes
   */
  public static long write(Record struct, MemorySegment to) {
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
    return offset;
  }
}
