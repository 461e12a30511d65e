// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.heap.host.WindowCopies;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.DiskNotVisibleException;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.runtime.PeerPages;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;

/** What all blocks share that an executor sends. Thread-safe; one per executor. */
public final class BlockServer implements AutoCloseable {
  /** Most buffers that are kept for data on disk and on the GPU, of up to 1 MiB each. */
  private static final int MAX_BUFFERS = 16;

  private final TransferCompressor compressor;
  private final SendOptions options;
  private final UnaryOperator<OutputReader> dataWrapper;
  private final ShuffleStats stats;
  private final PeerPages peerPages;
  private final Optional<WindowCopies> copies;
  private final Optional<DeviceReader> device;
  private final Optional<GpuSender> sender;
  private final IntPredicate lost;
  private final Queue<ByteBuffer> buffers = new ArrayBlockingQueue<>(MAX_BUFFERS);

  /**
   * @param compressor compresses blocks; this object takes ownership
   * @param device this executor's part of the device heap, if it has one
   * @param options how blocks are sent
   * @param peerPages limits how much of other PEs' windows stays mapped
   * @param dataWrapper wraps the reader of a block's data
   * @param lost whether a PE is dead, so that nobody else can send its map outputs, and readers
   *     verify the checksums of what they get
   */
  BlockServer(
      TransferCompressor compressor,
      Optional<DeviceTier> device,
      SendOptions options,
      PeerPages peerPages,
      Optional<WindowCopies> copies,
      UnaryOperator<OutputReader> dataWrapper,
      IntPredicate lost,
      ShuffleStats stats) {
    this.compressor = compressor;
    this.options = options;
    this.peerPages = peerPages;
    this.copies = copies;
    this.dataWrapper = dataWrapper;
    this.lost = lost;
    this.stats = stats;
    this.device = device.map(DeviceReader::new);
    this.sender =
        device
            .filter(tier -> options.pinnedBytes() >= PinnedPool.PAGE_BYTES)
            .map(tier -> new GpuSender(tier, options, stats));
  }

  /**
   * Creates the server of an executor; see the constructor for the other arguments.
   *
   * @param dead whether a PE is dead
   */
  public static BlockServer start(
      ShuffleConfig config,
      Optional<DeviceTier> device,
      PeerPages peerPages,
      Optional<WindowCopies> copies,
      UnaryOperator<OutputReader> dataWrapper,
      IntPredicate dead,
      ShuffleStats stats) {
    return new BlockServer(
        TransferCompressor.start(config, stats),
        device,
        SendOptions.of(config),
        peerPages,
        copies,
        dataWrapper,
        config.checksum() ? dead : pe -> false,
        stats);
  }

  /**
   * Answers a reduce task that has asked for a range of partitions of a range of map outputs. What
   * is not among {@code outputs}, or has a damaged index, is missing from the answer. Called while
   * a lease on the shuffle is held, since this reads the indexes.
   *
   * @param maxBytes how many bytes of frames the answer may have before they are compressed: the
   *     map output that would exceed it, and all after it, are left out, and the answer tells their
   *     sizes
   * @param outputs the map outputs in the range that this executor can read, by ascending id
   * @param leases acquires the lease when the first byte is read
   */
  public ServedBlock answer(
      MapIdRange asked,
      long maxBytes,
      List<MapOutput> outputs,
      int startPartition,
      int endPartition,
      LeaseSupplier leases) {
    return ServedBlock.answer(
        this, asked, maxBytes, outputs, startPartition, endPartition, leases, sender);
  }

  /**
   * Serves a whole map output to an executor that takes it over, in a form that needs no GPU.
   *
   * @param leases acquires the lease when the first byte is read
   * @throws io.symshuffle.shuffle.output.CorruptIndexException if the index is damaged
   */
  public ServedBlock serveWhole(MapOutput output, LeaseSupplier leases) {
    return ServedBlock.whole(this, output, leases);
  }

  TransferCompressor compressor() {
    return compressor;
  }

  SendOptions options() {
    return options;
  }

  ShuffleStats stats() {
    return stats;
  }

  OutputReader open(MapOutput output) {
    return new LosingReader(
        dataWrapper.apply(new TieredOutputReader(output, device, peerPages, copies, buffers)),
        () -> lost.test(output.pe()));
  }

  /**
   * Whether only this process cannot read it: it has no GPU, no free file descriptor, does not see
   * the disk, or shuts down. If nobody can read it, it must count as lost, or each attempt of the
   * stage fails.
   */
  static boolean isOfThisProcess(IOException e) {
    return e instanceof NoGpuException
        || e instanceof DiskNotVisibleException
        || e instanceof ClosedByInterruptException
        || (e instanceof FileSystemException failed
            && String.valueOf(failed.getReason()).startsWith("Too many open files"));
  }

  /** Tells whether data that cannot be read is lost. */
  private record LosingReader(OutputReader data, BooleanSupplier isLost) implements OutputReader {
    @Override
    public ByteBuffer read(Tier tier, long place, int count) throws IOException {
      try {
        return data.read(tier, place, count);
      } catch (IOException e) {
        throw isOfThisProcess(e) || !isLost.getAsBoolean() ? e : new LostDataException(e);
      }
    }

    @Override
    public void close() {
      data.close();
    }
  }

  /** Pinned memory of blocks that wait to be sent, in bytes. */
  public long pinnedBytes() {
    return sender.map(GpuSender::usedBytes).orElse(0L);
  }

  @Override
  public void close() {
    sender.ifPresent(GpuSender::close);
    compressor.close();
    device.ifPresent(DeviceReader::close);
  }
}
