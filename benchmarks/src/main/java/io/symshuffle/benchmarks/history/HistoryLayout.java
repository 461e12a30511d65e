// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.ffi.Segments;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The bytes of a history, in native order: a header of 64 bytes, then one record of 48 bytes for
 * each event.
 *
 * <pre>
 *   0   u64  {@link #MAGIC}
 *   8   u64  number of events for which a record was claimed
 *
 *   0   u64  time
 *   8   u64  map task id
 *   16  u64  offset
 *   24  u64  bytes
 *   32  u32  shuffle id
 *   36  u32  PE
 *   40  u32  code of the kind; stored last, so that 0 is no event
 * </pre>
 */
final class HistoryLayout {
  private static final long MAGIC = 0x79726f7473694853L;
  private static final long CLAIMED_OFFSET = 8;
  private static final long HEADER_BYTES = 64;
  private static final long RECORD_BYTES = 48;
  private static final long KIND_OFFSET = 40;

  private static final VarHandle LONG = Segments.varHandle(ValueLayout.JAVA_LONG);
  private static final VarHandle INT = Segments.varHandle(ValueLayout.JAVA_INT);

  private HistoryLayout() {}

  /** Writes the header of a file that is all zero. */
  static void create(MemorySegment memory) {
    memory.set(ValueLayout.JAVA_LONG, 0, MAGIC);
  }

  static void check(MemorySegment memory, Path file) throws IOException {
    if (memory.byteSize() < HEADER_BYTES || memory.get(ValueLayout.JAVA_LONG, 0) != MAGIC) {
      throw new IOException(file + " is not a history of an executor");
    }
  }

  /** Number of records in a file of so many bytes. */
  static long capacity(long bytes) {
    return (bytes - HEADER_BYTES) / RECORD_BYTES;
  }

  static long claimed(MemorySegment memory) {
    return memory.get(ValueLayout.JAVA_LONG, CLAIMED_OFFSET);
  }

  /** Returns the number of a record that nobody else has claimed. */
  static long claim(MemorySegment memory) {
    return (long) LONG.getAndAdd(memory, CLAIMED_OFFSET, 1L);
  }

  static void write(MemorySegment memory, long number, Event event) {
    long at = HEADER_BYTES + number * RECORD_BYTES;
    memory.set(ValueLayout.JAVA_LONG, at, event.time());
    memory.set(ValueLayout.JAVA_LONG, at + 8, event.mapId());
    memory.set(ValueLayout.JAVA_LONG, at + 16, event.offset());
    memory.set(ValueLayout.JAVA_LONG, at + 24, event.bytes());
    memory.set(ValueLayout.JAVA_INT, at + 32, event.shuffleId());
    memory.set(ValueLayout.JAVA_INT, at + 36, event.pe());
    INT.setRelease(memory, at + KIND_OFFSET, event.kind().code());
  }

  /** Returns an event; empty if the process was killed while it wrote the event. */
  static Optional<Event> read(MemorySegment memory, long number) {
    long at = HEADER_BYTES + number * RECORD_BYTES;
    return EventKind.ofCode(memory.get(ValueLayout.JAVA_INT, at + KIND_OFFSET))
        .map(
            kind ->
                new Event(
                    kind,
                    memory.get(ValueLayout.JAVA_LONG, at),
                    memory.get(ValueLayout.JAVA_INT, at + 36),
                    memory.get(ValueLayout.JAVA_INT, at + 32),
                    memory.get(ValueLayout.JAVA_LONG, at + 8),
                    memory.get(ValueLayout.JAVA_LONG, at + 16),
                    memory.get(ValueLayout.JAVA_LONG, at + 24)));
  }
}
