// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.ffi.Segments;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskFileTest {
  @TempDir Path folder;

  @Test
  void readsBeyondFourGibibytes() throws IOException {
    Path path = DiskFile.path(folder, new MapOutputId(1, 3));
    long far = (5L << 30) - 4;
    try (FileChannel sparse =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      sparse.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), far);
    }
    try (RunReader reader = RunReader.open(path)) {
      assertArrayEquals(new byte[] {1, 2, 3, 4}, reader.readBlock(far, 4));
      assertThrows(IOException.class, () -> reader.readBlock(far, 5));
      assertThrows(IOException.class, () -> reader.readBlock(0, far));
    }
  }

  @Test
  void writesAndReadsMemoryInPieces() throws IOException {
    Path path = DiskFile.path(folder, new MapOutputId(1, 2));
    byte[] bytes = new byte[1000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 7);
    }
    try (Arena arena = Arena.ofConfined();
        DiskFile written = DiskFile.create(path)) {
      written.append(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      MemorySegment memory = Segments.allocateCopy(arena, MemorySegment.ofArray(bytes));
      assertEquals(3, written.append(memory, 64));
      assertEquals(1003, written.bytes());
      try (DiskFile read = DiskFile.open(path)) {
        MemorySegment back = arena.allocate(1000);
        read.read(3, back, 33);
        assertArrayEquals(bytes, back.toArray(ValueLayout.JAVA_BYTE));
        assertThrows(EOFException.class, () -> read.read(4, back, 33));
      }
    }
  }
}
