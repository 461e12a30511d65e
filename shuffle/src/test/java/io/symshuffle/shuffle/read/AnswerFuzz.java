// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.answered;
import static io.symshuffle.shuffle.read.Reading.asking;
import static io.symshuffle.shuffle.read.Reading.source;

import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.MapIdRange;
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
import org.apache.spark.storage.BlockId;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A fuzz target: answers of another host with several map outputs. The first byte selects whether
 * the checksum of the head is computed before it is read, as a hostile peer would.
 */
public final class AnswerFuzz {
  private static final int SIGNED = 1;

  /** For two map outputs, asked for together and then five times one by one. */
  private static final int MOST_ANSWERS = 11;

  /** The task reads map outputs 10 and 12; the owner also has map output 11. */
  private static final MapIdRange RANGE = new MapIdRange(10, 12);

  private static final Map<Long, MapSource> WANTED = Map.of(10L, source(0, 10), 12L, source(0, 12));

  private AnswerFuzz() {}

  /** Called by the fuzzer: loads Spark's classes, which takes longer than reading an input. */
  public static void fuzzerInitialize() throws Exception {
    for (byte[] seed : seeds()) {
      fuzzerTestOneInput(seed);
    }
  }

  /**
   * Called by the fuzzer: any bytes must result in blocks no larger than the input, or in a failed
   * fetch.
   */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    if (input.length == 0) {
      return;
    }
    byte[] wire = Arrays.copyOfRange(input, 1, input.length);
    if ((input[0] & SIGNED) != 0) {
      sign(wire);
    }
    // The same answer to each request.
    List<Tuple2<BlockId, InputStream>> answers = new ArrayList<>();
    FetchedFrames.Fetcher fetcher =
        plan -> {
          List<BlockId> blocks = new ArrayList<>();
          plan.requests()
              .forEach(ofAddress -> ofAddress._2().foreach(block -> blocks.add(block._1())));
          if (answers.isEmpty()) {
            blocks.add(asking(RANGE));
          }
          List<Tuple2<BlockId, InputStream>> further = new ArrayList<>();
          blocks.forEach(id -> further.add(new Tuple2<>(id, new ByteArrayInputStream(wire))));
          answers.addAll(further);
          return CollectionConverters.asScala(further.iterator());
        };
    BlockCursor cursor =
        answered(
            fetcher,
            Map.of(Reading.code(RANGE), Reading.asked(RANGE, WANTED)),
            true,
            new FakeMetrics(),
            new ShuffleStats());
    long bytes = 0;
    try {
      while (cursor.advance()) {
        bytes += cursor.limit - cursor.position;
      }
    } catch (Exception e) {
      // A checked exception that Scala does not declare.
      if (!(e instanceof FetchFailedException) || e.getMessage().isBlank()) {
        throw e;
      }
    }
    if (bytes > (long) answers.size() * wire.length || answers.size() > MOST_ANSWERS) {
      throw new AssertionError(
          "%d bytes of %d answers with %d".formatted(bytes, answers.size(), wire.length));
    }
  }

  /** Computes the checksum of the head, as far as its size fits. */
  private static void sign(byte[] wire) {
    ByteBuffer fields = ByteBuffer.wrap(wire).order(ByteOrder.LITTLE_ENDIAN);
    if (wire.length < AnswerDescriptor.HEADER_BYTES) {
      return;
    }
    int outputs = fields.getInt(AnswerDescriptor.OUTPUTS_OFFSET);
    int leftOut = fields.getInt(AnswerDescriptor.LEFT_OUT_OFFSET);
    if (outputs < 0
        || outputs > 10
        || leftOut < 0
        || leftOut > 10
        || AnswerDescriptor.bytes(outputs, leftOut) > wire.length) {
      return;
    }
    fields.putInt(
        AnswerDescriptor.CRC_OFFSET,
        Crc32c.of(
            fields.slice(
                AnswerDescriptor.OUTPUTS_OFFSET,
                AnswerDescriptor.bytes(outputs, leftOut) - AnswerDescriptor.OUTPUTS_OFFSET)));
  }

  /**
   * Three map outputs of one or two frames, for each reader, of which none, two or all are left
   * out.
   */
  public static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (int seed = 0; seed < 6; seed++) {
      int outputs = new int[] {3, 1, 0}[seed / 2];
      ByteBuffer wire = ByteBuffer.allocate(1_000).order(ByteOrder.LITTLE_ENDIAN);
      wire.put((byte) (seed % 2));
      wire.putInt(AnswerDescriptor.MAGIC).putInt(0).putInt(outputs).putInt(3 - outputs);
      int frames = 0;
      for (int output = 0; output < 3; output++) {
        wire.putInt(output);
        if (output < outputs) {
          int count = output == 0 ? 2 : 1;
          wire.putInt(count);
          frames += count;
        } else {
          wire.putLong(100_000L * output);
        }
      }
      for (int following = frames - 1; following >= 0; following--) {
        frame(wire, following);
      }
      byte[] bytes = new byte[wire.position()];
      wire.flip().get(bytes);
      byte[] answer = Arrays.copyOfRange(bytes, 1, bytes.length);
      sign(answer);
      System.arraycopy(answer, 0, bytes, 1, answer.length);
      seeds.add(bytes);
    }
    return seeds;
  }

  private static void frame(ByteBuffer wire, int following) {
    ByteBuffer records = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
    records.putInt(32).putInt(1).clear();
    wire.putInt(FrameDescriptor.MAGIC)
        .putInt(2)
        .putLong(records.remaining())
        .putInt(Crc32c.of(records.duplicate()) + 2)
        .putInt(following)
        .put(records);
  }
}
