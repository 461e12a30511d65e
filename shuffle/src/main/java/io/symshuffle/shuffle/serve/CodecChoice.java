// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.compress.Codec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the codec of blocks that leave this executor: the one in the settings, or one that suits
 * the speed of the network.
 *
 * <p>For the latter it measures how fast blocks are sent while there are any to send. Bytes that
 * the operating system buffers look as if they were sent immediately, so a measurement has two
 * bounds: one that counts all bytes, and one that omits the first {@link #BUFFERED_BYTES} of each
 * period without a pause. Blocks are compressed when the upper bound is below a limit, and no
 * longer compressed when the lower bound is above {@link #HYSTERESIS} times that limit. In between
 * nothing changes, so the choice does not oscillate.
 *
 * <p>Thread-safe.
 */
final class CodecChoice {
  /**
   * Below this speed for each CPU, in bytes per second, LZ4 saves more time on the network than it
   * costs. Compression and decompression together take about 1.5 ns per byte of rows and save three
   * quarters of the bytes, so the two are equal at 500 MB/s. A core that is busy with tasks also
   * slows down sending, hence the margin.
   */
  static final long LZ4_BELOW = 150_000_000;

  /** Below this speed for each CPU, in bytes per second, Zstandard saves more than LZ4. */
  static final long ZSTD_BELOW = 15_000_000;

  /** What sockets buffer at most, in bytes: the default maximum of Linux ({@code tcp_wmem}). */
  static final long BUFFERED_BYTES = 4 << 20;

  /** Smallest ratio between the speeds at which compression ends and at which it starts. */
  static final double HYSTERESIS = 1.5;

  /** A measurement ends after this much time with blocks to send, in nanoseconds... */
  private static final long WINDOW_NANOS = 200_000_000;

  /** ...or after this many bytes. */
  private static final long WINDOW_BYTES = 64L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(CodecChoice.class);

  private final Optional<Codec> fixed;
  private final int cpus;
  private final LongSupplier nanoTime;
  private volatile Codec current;

  /** Blocks that are being sent. */
  @GuardedBy("this")
  private int active;

  @GuardedBy("this")
  private long since;

  @GuardedBy("this")
  private long busyNanos;

  @GuardedBy("this")
  private long bytes;

  /** Bytes without the first ones of each period. */
  @GuardedBy("this")
  private long sustainedBytes;

  /** Bytes sent since there was nothing to send. */
  @GuardedBy("this")
  private long periodBytes;

  /**
   * Starts without compression, unless the codec is fixed.
   *
   * @param fixed the codec in the settings; empty to choose by speed
   * @param cpus CPUs of this process
   * @param nanoTime a clock, in nanoseconds
   */
  CodecChoice(Optional<Codec> fixed, int cpus, LongSupplier nanoTime) {
    this.fixed = requireNonNull(fixed, "fixed is null");
    this.cpus = cpus;
    this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    this.current = fixed.orElse(Codec.NONE);
  }

  /** The codec for the next block. */
  Codec codec() {
    return current;
  }

  /** Measures how fast a block is sent. */
  Pieces measured(Pieces block) {
    return fixed.isPresent() ? block : new MeasuredPieces(block);
  }

  private synchronized void started() {
    if (active++ == 0) {
      since = nanoTime.getAsLong();
      periodBytes = 0;
    }
  }

  private synchronized void sent(long count) {
    bytes += count;
    sustainedBytes +=
        Math.max(0, periodBytes + count - BUFFERED_BYTES)
            - Math.max(0, periodBytes - BUFFERED_BYTES);
    periodBytes += count;
    long now = nanoTime.getAsLong();
    busyNanos += now - since;
    since = now;
    if (busyNanos >= WINDOW_NANOS || bytes >= WINDOW_BYTES) {
      choose(1e9 * bytes / busyNanos, 1e9 * sustainedBytes / busyNanos);
      bytes = 0;
      sustainedBytes = 0;
      busyNanos = 0;
    }
  }

  private synchronized void ended() {
    active--;
    busyNanos += nanoTime.getAsLong() - since;
    since = nanoTime.getAsLong();
  }

  private void choose(double most, double least) {
    Codec next = next(most, least);
    if (next != current) {
      LOG.info(
          "The network carries {} MB/s of blocks; from now on they are sent {}",
          Math.round(most / 1e6),
          next == Codec.NONE ? "uncompressed" : "compressed with " + next);
      current = next;
    }
  }

  private Codec next(double most, double least) {
    double lz4 = (double) LZ4_BELOW * cpus;
    double zstd = (double) ZSTD_BELOW * cpus;
    if (most < zstd) {
      return Codec.ZSTD;
    }
    if (least > HYSTERESIS * lz4) {
      return Codec.NONE;
    }
    if (current == Codec.ZSTD) {
      return least > HYSTERESIS * zstd ? Codec.LZ4 : Codec.ZSTD;
    }
    return most < lz4 ? Codec.LZ4 : current;
  }

  /** Counts a piece as sent when the next one is requested. */
  private final class MeasuredPieces implements Pieces {
    private final Pieces block;
    private boolean open;
    private ByteBuffer last = ByteBuffer.allocate(0);
    private int before;

    MeasuredPieces(Pieces block) {
      this.block = block;
    }

    @Override
    public ByteBuffer piece() throws IOException {
      if (!open) {
        open = true;
        started();
      }
      count();
      last = block.piece();
      before = last.remaining();
      return last;
    }

    private void count() {
      int sent = before - last.remaining();
      if (sent > 0) {
        before = last.remaining();
        sent(sent);
      }
    }

    @Override
    public void close() {
      if (open) {
        open = false;
        count();
        ended();
      }
      block.close();
    }
  }
}
