// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * Replaces {@code allocateFrom}, {@code getString} and {@code ValueLayout.varHandle}, which Java 21
 * lacks or names differently. The code uses only methods that Java 21 and all later versions have.
 */
public final class Segments {
  private static final long COPY_ALIGNMENT = Long.BYTES;

  private Segments() {}

  /** Returns a new C string: its bytes in UTF-8 and a zero byte. */
  public static MemorySegment allocateString(SegmentAllocator allocator, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    MemorySegment segment = allocator.allocate(bytes.length + 1L, 1);
    MemorySegment.copy(bytes, 0, segment, JAVA_BYTE, 0, bytes.length);
    segment.set(JAVA_BYTE, bytes.length, (byte) 0);
    return segment;
  }

  /**
   * Allocates a copy, for example of {@code MemorySegment.ofArray(...)}.
   *
   * @param source the bytes to copy
   * @return the copy, aligned to 8 bytes
   */
  public static MemorySegment allocateCopy(SegmentAllocator allocator, MemorySegment source) {
    return allocator.allocate(source.byteSize(), COPY_ALIGNMENT).copyFrom(source);
  }

  /**
   * Reads a C string.
   *
   * @param offset its first byte
   * @return the text up to the first zero byte, decoded as UTF-8
   * @throws IndexOutOfBoundsException if the segment has no zero byte there
   */
  public static String getString(MemorySegment segment, long offset) {
    long end = offset;
    while (segment.get(JAVA_BYTE, end) != 0) {
      end++;
    }
    return new String(
        segment.asSlice(offset, end - offset).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
  }

  /**
   * Returns the same memory with the lifetime of an arena, read-only if the segment is. The memory
   * must stay mapped at least as long.
   */
  @SuppressWarnings("restricted")
  public static MemorySegment withLifetime(MemorySegment segment, Arena arena) {
    return segment.reinterpret(arena, null);
  }

  /**
   * Returns a handle for a value at an offset in a segment.
   *
   * @param layout the type and alignment of the value
   * @return a handle whose coordinates are a {@link MemorySegment} and an offset in bytes
   */
  public static VarHandle varHandle(ValueLayout layout) {
    MemoryLayout general = layout;
    VarHandle handle = general.varHandle();
    // On Java 21 such handles have no offset.
    return handle.coordinateTypes().size() == 2
        ? handle
        : MethodHandles.collectCoordinates(handle, 0, Slice.FROM_OFFSET);
  }

  private static final class Slice {
    static final MethodHandle FROM_OFFSET = find();

    private static MethodHandle find() {
      try {
        return MethodHandles.publicLookup()
            .findVirtual(
                MemorySegment.class,
                "asSlice",
                MethodType.methodType(MemorySegment.class, long.class));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("MemorySegment has no method asSlice(long)", e);
      }
    }
  }
}
