// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.source;
import static io.symshuffle.shuffle.read.Reading.transferred;

import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.storage.BlockId;
import scala.Tuple2;

/**
 * A fuzz target: frames of another host, and the records in them. The first byte selects the
 * reader: rows or a serializer's stream, with or without checksums.
 */
public final class FrameFuzz {
  /** Frames of each input that is not damaged. */
  private static final int FRAMES = 2;

  private static final int ROWS = 1;
  private static final int VERIFIED = 2;
  private static final int MAX_ROWS = 100_000;

  private FrameFuzz() {}

  /** Called by the fuzzer: loads Spark's classes, which takes longer than reading an input. */
  public static void fuzzerInitialize() throws Exception {
    for (byte[] seed : seeds()) {
      fuzzerTestOneInput(seed);
    }
  }

  /**
   * Called by the fuzzer: any bytes must result in records inside their frames or a failed fetch.
   */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    if (input.length == 0) {
      return;
    }
    BlockId block = Reading.asking(Reading.only(1));
    byte[] frames = Arrays.copyOfRange(input, 1, input.length);
    InputStream stream = new ByteArrayInputStream(Reading.answer(FRAMES, frames));
    ShuffleStats stats = new ShuffleStats();
    BlockCursor cursor =
        transferred(
            List.of(new Tuple2<>(block, stream)),
            Map.of(1L, source(0, 1)),
            (input[0] & VERIFIED) != 0,
            stats);
    try {
      if ((input[0] & ROWS) != 0) {
        RowIterator rows = new RowIterator(cursor, new InPlaceAccess(null), 2, new FakeMetrics());
        for (int row = 0; row < MAX_ROWS && rows.hasNext(); row++) {
          UnsafeRow found = rows.next()._2();
          if (found.getSizeInBytes() > input.length) {
            throw new AssertionError("a row of %d bytes".formatted(found.getSizeInBytes()));
          }
          // Reads each of its bytes.
          if (found.hashCode() != found.copy().hashCode()) {
            throw new AssertionError("a row that changes");
          }
        }
      } else if (new RecordInputStream(cursor, new InPlaceAccess(null)).readAllBytes().length
          > input.length) {
        throw new AssertionError("more bytes than the input has");
      }
    } catch (Exception e) {
      // A checked exception that Scala does not declare.
      if (!(e instanceof FetchFailedException) || e.getMessage().isBlank()) {
        throw e;
      }
    }
  }

  /** Two frames of some records, for each reader. */
  public static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (int reader = 0; reader < 4; reader++) {
      ByteBuffer wire = ByteBuffer.allocate(500).order(ByteOrder.LITTLE_ENDIAN);
      wire.put((byte) reader);
      frame(wire, 2, 1, new int[] {24, 32, 24});
      frame(wire, 2, 0, new int[] {40});
      byte[] bytes = new byte[wire.position()];
      wire.flip().get(bytes);
      seeds.add(bytes);
    }
    return seeds;
  }

  private static void frame(ByteBuffer wire, int partition, int following, int[] lengths) {
    ByteBuffer records = ByteBuffer.allocate(400).order(ByteOrder.LITTLE_ENDIAN);
    for (int length : lengths) {
      records.putInt(length).putInt(2).put(new byte[2 * length]);
    }
    records.flip();
    int at = wire.position();
    wire.putInt(at + FrameDescriptor.MAGIC_OFFSET, FrameDescriptor.MAGIC);
    wire.putInt(at + FrameDescriptor.PARTITION_OFFSET, partition);
    wire.putLong(at + FrameDescriptor.BYTES_OFFSET, records.remaining());
    wire.putInt(at + FrameDescriptor.CRC_OFFSET, Crc32c.of(records.duplicate()) + partition);
    wire.putInt(at + FrameDescriptor.FOLLOWING_OFFSET, following);
    wire.position(at + FrameDescriptor.HEADER_BYTES).put(records);
  }
}
