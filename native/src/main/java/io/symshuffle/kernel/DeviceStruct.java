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
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;

/**
 * Maps records to structs that host and kernels share: a component of type {@code long} is a u64,
 * one of type {@code int} a u32, in the same order and without padding.
 */
final class DeviceStruct {
  /** Found once for each type: reflection takes longer than a launch. */
  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return Shape.of(type);
        }
      };

  private DeviceStruct() {}

  /**
   * A struct's layout.
   *
   * @param getters of the components, in order
   */
  private record Shape(StructLayout layout, List<Method> getters) {
    static Shape of(Class<?> type) {
      RecordComponent[] components = type.getRecordComponents();
      return new Shape(
          MemoryLayout.structLayout(
              Arrays.stream(components)
                  .map(component -> field(component).withName(component.getName()))
                  .toArray(MemoryLayout[]::new)),
          Arrays.stream(components).map(RecordComponent::getAccessor).toList());
    }
  }

  /** Returns the layout of a struct. */
  static StructLayout layout(Class<? extends Record> type) {
    return SHAPES.get(type).layout;
  }

  private static ValueLayout field(RecordComponent component) {
    return component.getType() == long.class ? JAVA_LONG : JAVA_INT;
  }

  /** Returns the offset of a field in bytes. */
  static long offset(Class<? extends Record> type, String field) {
    return layout(type).byteOffset(PathElement.groupElement(field));
  }

  /**
   * Returns a struct in heap memory: launches happen too often for native memory that several
   * threads may use, since freeing it interrupts every thread of the process.
   *
   * @return a segment of the struct's length, 8-byte aligned
   */
  static MemorySegment of(Record struct) {
    int fields = SHAPES.get(struct.getClass()).getters.size();
    MemorySegment longest = MemorySegment.ofArray(new long[fields]);
    return longest.asSlice(0, write(struct, longest));
  }

  /**
   * Writes a struct to the beginning of a segment.
   *
   * @param to at least as long as the struct
   * @return its length in bytes
   */
  static long write(Record struct, MemorySegment to) {
    long offset = 0;
    try {
      for (Method getter : SHAPES.get(struct.getClass()).getters) {
        Object value = getter.invoke(struct);
        if (value instanceof Long number) {
          to.set(JAVA_LONG, offset, number);
          offset += Long.BYTES;
        } else {
          to.set(JAVA_INT, offset, (int) value);
          offset += Integer.BYTES;
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read " + struct.getClass(), e);
    }
    return offset;
  }
}
