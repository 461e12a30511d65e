// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.symshuffle.shuffle.compress.Codec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CodecChoiceTest {
  private static final int CPUS = 2;
  private static final int PIECE = 1 << 20;

  private long nanos;
  private final CodecChoice choice = new CodecChoice(Optional.empty(), CPUS, () -> nanos);

  /** A block that takes some time for each piece. */
  private final class Block implements Pieces {
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE);
    private final long nanosEach;
    private int left;

    Block(int pieces, long bytesPerSecond) {
      this.left = pieces;
      this.nanosEach = PIECE * 1_000_000_000L / bytesPerSecond;
    }

    @Override
    public ByteBuffer piece() {
      return left-- > 0 ? piece.clear() : piece.limit(0);
    }

    void sent() {
      nanos += nanosEach;
      piece.position(piece.limit());
    }

    @Override
    public void close() {}
  }

  /** Sends a block without a pause. */
  private void send(int pieces, long bytesPerSecond) throws IOException {
    Block block = new Block(pieces, bytesPerSecond);
    try (Pieces measured = choice.measured(block)) {
      while (measured.piece().hasRemaining()) {
        block.sent();
      }
    }
    nanos += 50_000_000;
  }

  @Test
  void startsUncompressed() {
    assertEquals(Codec.NONE, choice.codec());
  }

  @Test
  void compressesOnNarrowNetwork() throws IOException {
    send(100, 40_000_000);
    assertEquals(Codec.LZ4, choice.codec());
  }

  @Test
  void compressesMoreOnVeryNarrowNetwork() throws IOException {
    send(20, 5_000_000);
    assertEquals(Codec.ZSTD, choice.codec());
    send(200, 50_000_000);
    assertEquals(Codec.LZ4, choice.codec());
  }

  @Test
  void sendsUncompressedOnFastNetwork() throws IOException {
    send(1_000, 1_200_000_000);
    assertEquals(Codec.NONE, choice.codec());
  }

  @Test
  void stopsCompressingWhenNetworkBecomesFast() throws IOException {
    send(100, 40_000_000);
    send(1_000, 2_000_000_000);
    assertEquals(Codec.NONE, choice.codec());
  }

  @Test
  void keepsChoiceBetweenBothLimits() throws IOException {
    long between = (long) (1.2 * CPUS * CodecChoice.LZ4_BELOW);
    send(500, between);
    assertEquals(Codec.NONE, choice.codec());
    send(100, 40_000_000);
    send(500, between);
    assertEquals(Codec.LZ4, choice.codec());
  }

  @Test
  void shortBurstsIntoSocketBuffersDoNotEndCompression() throws IOException {
    send(100, 40_000_000);
    for (int i = 0; i < 500; i++) {
      send(3, 5_000_000_000L);
      assertEquals(Codec.LZ4, choice.codec());
    }
  }

  @Test
  void addsUpBlocksThatAreSentAtTheSameTime() throws IOException {
    // Each of 20 connections gets a share of 100 MB/s of a network with 2 GB/s.
    Block[] blocks = new Block[20];
    Pieces[] measured = new Pieces[blocks.length];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = new Block(100, 2_000_000_000L);
      measured[i] = choice.measured(blocks[i]);
    }
    for (int round = 0; round < 100; round++) {
      for (int i = 0; i < blocks.length; i++) {
        measured[i].piece();
        blocks[i].sent();
      }
    }
    for (Pieces each : measured) {
      each.close();
    }
    assertEquals(Codec.NONE, choice.codec());
  }

  @Test
  void fixedCodecIsNotMeasured() {
    CodecChoice fixed = new CodecChoice(Optional.of(Codec.ZSTD), CPUS, () -> nanos);
    Block block = new Block(1, 1_000);
    assertSame(block, fixed.measured(block));
    assertEquals(Codec.ZSTD, fixed.codec());
  }
}
