// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.compress.FrameShape;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compresses blocks that other hosts have requested, on its own threads. Spark resolves all blocks
 * of a request before it sends the first one, and compression starts then. Spark's transfer needs
 * the size of a block before it sends the block, so the sending thread waits for the block that
 * comes next, but at most {@link SendOptions#maxWait}.
 *
 * <p>Compressed blocks that wait to be sent take at most one sixteenth of the Java heap. A block
 * that does not fit is sent uncompressed, directly from the heap.
 *
 * <p>Thread-safe. One per executor.
 */
public final class TransferCompressor implements AutoCloseable {
  /** Blocks with less data are sent uncompressed, in bytes. */
  static final int MIN_BLOCK_BYTES = 2 << 10;

  private static final int SHARE_OF_JAVA_HEAP = 16;
  private static final Logger LOG = LoggerFactory.getLogger(TransferCompressor.class);

  private final Codec codec;
  private final TransferMemory memory;
  private final ShuffleStats stats;

  /** Those that no thread uses; at most as many as threads. */
  private final ConcurrentLinkedQueue<PacketWriter> writers = new ConcurrentLinkedQueue<>();

  private final ExecutorService threads;

  TransferCompressor(Codec codec, TransferMemory memory, int threads, ShuffleStats stats) {
    this.codec = codec;
    this.memory = memory;
    this.stats = stats;
    this.threads =
        Executors.newFixedThreadPool(threads, DaemonThreads.factory("symshuffle-transfer"));
  }

  /** Creates the compressor of an executor; its threads start when they are needed. */
  public static TransferCompressor start(ShuffleConfig config, ShuffleStats stats) {
    return new TransferCompressor(
        config.compression(),
        new TransferMemory(Runtime.getRuntime().maxMemory() / SHARE_OF_JAVA_HEAP),
        Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
        stats);
  }

  /**
   * Starts to compress a block, if that pays.
   *
   * @param frames its frames
   * @param data opens the data of a map output
   * @param leases acquires the lease on its shuffle
   * @return the block, or empty to send it uncompressed
   */
  Optional<PreparedBlock> compress(
      List<Frame> frames,
      FrameShape shape,
      Function<MapOutput, OutputReader> data,
      LeaseSupplier leases) {
    long bytes = frames.stream().mapToLong(Frame::bytes).sum();
    if (codec == Codec.NONE || bytes < MIN_BLOCK_BYTES) {
      return Optional.empty();
    }
    CompressedBlock block = new CompressedBlock(memory);
    try {
      threads.execute(() -> compress(block, frames, shape, data, leases));
    } catch (RejectedExecutionException e) {
      return Optional.empty(); // the executor shuts down
    }
    return Optional.of(block);
  }

  private void compress(
      CompressedBlock block,
      List<Frame> frames,
      FrameShape shape,
      Function<MapOutput, OutputReader> data,
      LeaseSupplier leases) {
    boolean success = false;
    try {
      if (!block.isEnded()) {
        success = write(block, frames, shape, data, leases);
      }
    } catch (IOException | RuntimeException | InternalError | OutOfMemoryError | LinkageError e) {
      // Sending the block uncompressed will report the problem. Java throws InternalError for a
      // missing page, OutOfMemoryError if there is no direct memory, and LinkageError if Zstandard
      // cannot be loaded from a temporary folder without execute permission.
      LOG.debug("A block is sent uncompressed: {}", e.toString());
    } finally {
      block.end(success);
    }
  }

  /** Returns false if the block does not become smaller, or is not wanted any more. */
  private boolean write(
      CompressedBlock block,
      List<Frame> frames,
      FrameShape shape,
      Function<MapOutput, OutputReader> data,
      LeaseSupplier leases)
      throws IOException {
    long start = System.nanoTime();
    boolean complete;
    Lease lease = leases.acquire();
    try (lease) {
      PacketWriter free = writers.poll();
      PacketWriter writer = free == null ? new PacketWriter() : free;
      try (Pieces plain = new FrameReader(frames, data)) {
        complete = writer.write(plain, codec, shape, block::add);
      } finally {
        writers.add(writer);
      }
    }
    stats.add(ShuffleCounter.BYTES_COMPRESSED, frames.stream().mapToLong(Frame::bytes).sum());
    stats.addSince(ShuffleCounter.COMPRESSION_NANOS, start);
    return complete && block.bytes() < frames.stream().mapToLong(Frame::wireBytes).sum();
  }

  /** Bytes of compressed blocks that wait to be sent. */
  long waitingBytes() {
    return memory.used();
  }

  @Override
  public void close() {
    threads.shutdownNow();
    boolean stopped = false;
    try {
      stopped = threads.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (stopped) {
      writers.forEach(PacketWriter::close);
    }
  }
}
