// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.host.WindowCopies;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutput;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.runtime.PeerPages;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TieredOutputReaderTest {
  private static final MapOutputId ID = new MapOutputId(1, 2);

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private RowOutput output;
  private long copied;

  @BeforeEach
  void publish() throws IOException {
    Owner owner = Owner.add(windows, 16 << 20, disk, shuffle -> false);
    Records records = Records.random(new Random(7), 500, 4, 1_000);
    owner.publish(ID, List.of(records), List.of(Tier.HOST));
    output = new MapOutputs(windows.heap(0)).find(0, ID).orElseThrow().rows();
  }

  /** A reader that copies from the owner's window, or fails to. */
  private TieredOutputReader reader(boolean fails) {
    WindowCopies copies =
        new WindowCopies() {
          @Override
          public void read(int pe, long offset, MemorySegment to) {
            if (fails) {
              throw new HeapException("the heap file of PE 0 was truncated");
            }
            assertEquals(0, pe);
            copied += to.byteSize();
            to.copyFrom(output.window().asSlice(offset, to.byteSize()));
          }

          @Override
          public void write(long offset, MemorySegment from) {
            throw new UnsupportedOperationException();
          }
        };
    return new TieredOutputReader(
        output, Optional.empty(), PeerPages.unlimited(), Optional.of(copies), new ArrayDeque<>());
  }

  @Test
  void copiesHostMemoryWhereThatIsFasterThanToMapIt() throws IOException {
    RunView run = output.index().run(0);
    MemorySegment expected = output.hostRun(run);
    TieredOutputReader reader = reader(false);
    for (long count : new long[] {100, run.bytes(), 5_000}) {
      copied = 0;
      ByteBuffer read = reader.read(Tier.HOST, run.place(), (int) count);
      assertEquals(count, copied);
      assertEquals(-1, MemorySegment.ofBuffer(read).mismatch(expected.asSlice(0, count)));
    }
    reader.close();
  }

  @Test
  void aCopyThatFailsIsAnIoException() {
    TieredOutputReader reader = reader(true);
    long place = output.index().run(0).place();
    IOException e = assertThrows(IOException.class, () -> reader.read(Tier.HOST, place, 100));
    assertEquals("the heap file of PE 0 was truncated", e.getMessage());
    reader.close();
  }

  @Test
  void onlyWhatThisProcessLacksMayBeReadByAnother() {
    List<IOException> ofThisProcess =
        List.of(
            new NoGpuException("no GPU"),
            new ClosedByInterruptException(),
            new FileSystemException("file", null, "Too many open files"),
            new FileSystemException("file", null, "Too many open files in system"));
    List<IOException> ofTheData =
        List.of(
            new EOFException("too short"),
            new IOException("there is no GPU memory of PE 1"),
            new NoSuchFileException("file"),
            new AccessDeniedException("file"),
            new FileSystemException("file", null, "Input/output error"));
    assertAll(
        () -> assertTrue(ofThisProcess.stream().allMatch(BlockServer::isOfThisProcess)),
        () -> assertTrue(ofTheData.stream().noneMatch(BlockServer::isOfThisProcess)));
  }
}
