// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import io.symshuffle.ffi.Segments;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Loads and stores in a control region, with the memory order in the name. */
final class ControlFields {
  private static final VarHandle LONG = Segments.varHandle(ValueLayout.JAVA_LONG);
  private static final VarHandle INT = Segments.varHandle(ValueLayout.JAVA_INT);

  private ControlFields() {}

  static long getLongAcquire(MemorySegment window, long offset) {
    return (long) LONG.getAcquire(window, offset);
  }

  static void putLongRelease(MemorySegment window, long offset, long value) {
    LONG.setRelease(window, offset, value);
  }

  static long getLongVolatile(MemorySegment window, long offset) {
    return (long) LONG.getVolatile(window, offset);
  }

  static void putLongVolatile(MemorySegment window, long offset, long value) {
    LONG.setVolatile(window, offset, value);
  }

  static int getIntAcquire(MemorySegment window, long offset) {
    return (int) INT.getAcquire(window, offset);
  }

  static void putIntRelease(MemorySegment window, long offset, int value) {
    INT.setRelease(window, offset, value);
  }

  static long getLong(MemorySegment window, long offset) {
    return window.get(ValueLayout.JAVA_LONG, offset);
  }

  static int getInt(MemorySegment window, long offset) {
    return window.get(ValueLayout.JAVA_INT, offset);
  }

  static byte getByte(MemorySegment window, long offset) {
    return window.get(ValueLayout.JAVA_BYTE, offset);
  }

  static void putByte(MemorySegment window, long offset, int value) {
    window.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
  }

  static void putLong(MemorySegment window, long offset, long value) {
    window.set(ValueLayout.JAVA_LONG, offset, value);
  }

  static void putInt(MemorySegment window, long offset, int value) {
    window.set(ValueLayout.JAVA_INT, offset, value);
  }

  /** The checksum over the fields of the entry at {@code entry}. */
  static int entryCrc(MemorySegment window, long entry) {
    long start = entry + DirectoryEntryDescriptor.MAP_ID_OFFSET;
    return Crc32c.of(window, start, entry + DirectoryEntryDescriptor.CRC_OFFSET - start);
  }
}
