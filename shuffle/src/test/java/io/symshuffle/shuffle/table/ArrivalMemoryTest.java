// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.read.Reading;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.table.ArrivalMemory.Part;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.storage.BlockId;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

class ArrivalMemoryTest {
  private static final int BATCHES = 10;
  private static final int TABLE_BYTES = 4 << 20;
  private static final int TABLES = 4 * BATCHES;
  private static final long BATCH_BYTES = 16L << 20;

  /**
   * Ten batches of 16 MiB with 64 MiB of native memory, where explicit collections are disabled, as
   * is common on YARN. The young generation is so large that the JVM has no other reason to
   * collect.
   */
  @Test
  void tablesOfEarlierBatchesTakeNoMemory() {
    ChildProcess.Result result =
        ChildProcess.java(
                List.of(
                    "-XX:MaxDirectMemorySize=64m",
                    "-XX:+DisableExplicitGC",
                    "-Xms256m",
                    "-Xmn192m"),
                TenBatches.class.getName(),
                List.of())
            .run(Duration.ofMinutes(10));
    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains(BATCHES + " batches"), result.output());
  }

  /** The process with little native memory. */
  static final class TenBatches {
    public static void main(String[] args) {
      ArrivalMemory memory = new ArrivalMemory(Optional.empty());
      TableBatch.Cutter cutter =
          new TableBatch.Cutter(transfer(memory), BATCH_BYTES, memory::isShort);
      int batches = 0;
      while (cutter.hasNext()) {
        TableBatch batch = cutter.next();
        if (batch.bytes() != BATCH_BYTES) {
          throw new AssertionError("a batch of %d bytes".formatted(batch.bytes()));
        }
        batch.close();
        batches++;
      }
      memory.close();
      System.out.println(batches + " batches");
    }
  }

  @Test
  void batchEndsWhenMemoryIsShort() {
    ArrivalMemory memory = new ArrivalMemory(Optional.empty());
    TableBatch.Cutter cutter =
        new TableBatch.Cutter(transfer(memory), Long.MAX_VALUE, memory::isShort);
    TableBatch first = cutter.next();
    assertEquals(ArrivalMemory.MAX_NATIVE_BYTES, first.bytes());
    assertTrue(memory.isShort());
    // The task would not have brought it to the GPU: one table at a time then.
    TableBatch second = cutter.next();
    assertEquals(TABLE_BYTES, second.bytes());
    first.close();
    assertFalse(memory.isShort());
    assertEquals(ArrivalMemory.MAX_NATIVE_BYTES - TABLE_BYTES, cutter.next().bytes());
    memory.close();
  }

  @Test
  void gatheredBatchIsTheNextOne() {
    ArrivalMemory memory = new ArrivalMemory(Optional.empty());
    TableBatch.Cutter cutter = new TableBatch.Cutter(transfer(memory), BATCH_BYTES, () -> false);
    cutter.gather();
    memory.close();
    // Another table would need memory of the task.
    cutter.gather();
    assertTrue(cutter.hasNext());
    assertEquals(BATCH_BYTES, cutter.next().bytes());
  }

  @Test
  void endOfTaskFreesWhatWasNotUsed() {
    ArrivalMemory memory = new ArrivalMemory(Optional.empty());
    Part part = memory.allocate(100);
    MemorySegment whole = memory.allocateWhole(10).pieces().getFirst();
    memory.close();
    part.close();
    assertThrows(IllegalStateException.class, () -> whole.get(ValueLayout.JAVA_BYTE, 0));
    assertThrows(IllegalStateException.class, () -> memory.allocate(1));
  }

  /** {@link #TABLES} tables of {@link #TABLE_BYTES} bytes, as they come from another host. */
  private static TableTransfer transfer(ArrivalMemory memory) {
    byte[] data = new byte[TABLE_BYTES];
    int crc = Crc32c.of(ByteBuffer.wrap(data));
    InputStream all = InputStream.nullInputStream();
    for (int following = TABLES - 1; following >= 0; following--) {
      byte[] head = new byte[TableFrameDescriptor.HEADER_BYTES];
      ByteBuffer fields =
          ByteBuffer.wrap(head)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putInt(TableFrameDescriptor.MAGIC_OFFSET, TableFrameDescriptor.MAGIC)
              .putLong(TableFrameDescriptor.BYTES_OFFSET, TABLE_BYTES)
              .putLong(TableFrameDescriptor.ROWS_OFFSET, 1)
              .putInt(TableFrameDescriptor.FOLLOWING_OFFSET, following)
              .putInt(TableFrameDescriptor.CRC_OFFSET, crc);
      fields.putInt(
          TableFrameDescriptor.HEAD_CRC_OFFSET, TableFrameDescriptor.headCrc(head, new byte[0]));
      all =
          new SequenceInputStream(
              all,
              new SequenceInputStream(
                  new ByteArrayInputStream(head), new ByteArrayInputStream(data)));
    }
    ShuffleStats stats = new ShuffleStats();
    Tuple2<BlockId, InputStream> block =
        new Tuple2<>(
            Reading.asking(Reading.only(1)),
            new SequenceInputStream(
                new ByteArrayInputStream(Reading.answer(TABLES, new byte[0])), all));
    return new TableTransfer(
        Reading.frames(
            List.of(block), Map.of(1L, Reading.source(0, 1)), Reading.failures(9, 0, stats)),
        memory,
        false,
        stats);
  }
}
