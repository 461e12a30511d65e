// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.compress.FrameShape;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RowOutput;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.output.TableOutput;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is sent through Spark's block transfer: the answer to a reduce task, or a whole map output
 * for another executor. It consists of frames, or of packets of compressed ones; an answer starts
 * with a head. Compression, or the copy of tables from the GPU, starts when the block is resolved,
 * on other threads; {@link #size()} waits for it.
 *
 * <p>The block holds a lease from the first read until it is released, but not before: Spark
 * resolves many blocks for one request, and drops them without releasing them if one of them is not
 * found or the connection is closed.
 *
 * <p>Thread-safe; its streams and regions are not.
 */
public final class ServedBlock extends ManagedBuffer {
  private static final Logger LOG = LoggerFactory.getLogger(ServedBlock.class);
  private static final Cleaner CLEANER = Cleaner.create();

  private final BlockServer server;
  private final LeaseSupplier leases;

  /** Read-only; empty for a whole map output. */
  private final ByteBuffer head;

  private final List<Frame> frames;
  private final long plainBytes;
  private final Optional<PreparedBlock> prepared;
  private final Optional<Cleaner.Cleanable> memory;

  @GuardedBy("this")
  private int references = 1;

  @GuardedBy("this")
  private Lease lease;

  /**
   * Starts to stage or compress what is sent, if that pays.
   *
   * @param server what this executor's blocks share
   * @param leases acquires the lease when the first byte is read
   * @param sender stages tables of the DEVICE tier
   */
  private ServedBlock(
      BlockServer server,
      ByteBuffer head,
      Contents contents,
      LeaseSupplier leases,
      Optional<GpuSender> sender) {
    this.server = server;
    this.head = head;
    this.leases = leases;
    this.frames = List.copyOf(contents.frames);
    List<SentTable> tables = List.copyOf(contents.tables);
    boolean onlyTables = tables.size() == frames.size();
    this.prepared =
        sender
            .filter(each -> onlyTables)
            .flatMap(each -> each.stage(tables, server::open, leases))
            .or(
                () ->
                    server
                        .compressor()
                        .compress(
                            frames,
                            tables.isEmpty() ? FrameShape.RECORDS : FrameShape.OPAQUE,
                            server::open,
                            leases));
    this.plainBytes = contents.wireBytes();
    // Spark may drop a block without releasing it.
    this.memory = prepared.map(block -> CLEANER.register(this, block::release));
  }

  /** The answer to a reduce task, see {@link BlockServer#answer}. */
  static ServedBlock answer(
      BlockServer server,
      MapIdRange asked,
      long maxBytes,
      List<MapOutput> outputs,
      int startPartition,
      int endPartition,
      LeaseSupplier leases,
      Optional<GpuSender> sender) {
    Contents contents = new Contents();
    SortedMap<Long, Long> leftOut = new TreeMap<>();
    long room = maxBytes;
    for (MapOutput output : outputs) {
      Contents ofOutput = new Contents();
      try {
        ofOutput.add(output, startPartition, endPartition);
      } catch (CorruptIndexException e) {
        LOG.warn("Omitting {} from an answer: {}", output.id(), e.getMessage());
        continue;
      }
      long bytes = ofOutput.wireBytes();
      if (bytes > room || (!leftOut.isEmpty() && bytes > 0)) {
        leftOut.put(output.id().mapId(), bytes);
        continue;
      }
      room -= bytes;
      contents.frames.addAll(ofOutput.frames);
      contents.tables.addAll(ofOutput.tables);
    }
    ByteBuffer head =
        AnswerHead.of(asked, contents.frames.stream().map(Frame::output).toList(), leftOut);
    return new ServedBlock(server, head, contents, leases, sender);
  }

  /** A whole map output, see {@link BlockServer#serveWhole}. */
  static ServedBlock whole(BlockServer server, MapOutput output, LeaseSupplier leases) {
    Contents contents = new Contents();
    contents.add(output, 0, output.partitions());
    return new ServedBlock(server, ByteBuffer.allocate(0), contents, leases, Optional.empty());
  }

  /** The frames of some map outputs, and the tables among them. */
  private static final class Contents {
    private final List<Frame> frames = new ArrayList<>();
    private final List<SentTable> tables = new ArrayList<>();

    /**
     * Adds a range of partitions of a map output.
     *
     * @throws CorruptIndexException if the index is damaged
     */
    void add(MapOutput output, int startPartition, int endPartition) {
      switch (output) {
        case RowOutput rows -> addRows(rows, startPartition, endPartition);
        case TableOutput ofTables -> addTables(ofTables, startPartition, endPartition);
      }
    }

    /** Size of all frames without compression, in bytes. */
    long wireBytes() {
      return frames.stream().mapToLong(Frame::wireBytes).sum();
    }

    private void addRows(RowOutput output, int startPartition, int endPartition) {
      for (int number = 0; number < output.index().runs(); number++) {
        RunView run = output.index().run(number);
        if (run.tier() == Tier.HOST) {
          output.hostMemory(run.place(), run.bytes());
        }
        int end = run.firstBlock(endPartition);
        for (int block = run.firstBlock(startPartition); block < end; block++) {
          frames.add(Frame.of(output, run, block));
        }
      }
    }

    private void addTables(TableOutput output, int startPartition, int endPartition) {
      int end = output.index().first(endPartition);
      for (int table = output.index().first(startPartition); table < end; table++) {
        SentTable sent = new SentTable(output, output.index().table(table));
        tables.add(sent);
        frames.add(Frame.of(sent));
      }
    }
  }

  @Override
  public long size() {
    return head.remaining() + content().map(PreparedBlock.Content::bytes).orElse(plainBytes);
  }

  @Override
  public ByteBuffer nioByteBuffer() throws IOException {
    long bytes = size();
    if (bytes > Integer.MAX_VALUE - 8) {
      throw new IOException("block of %d bytes does not fit into one buffer".formatted(bytes));
    }
    try (InputStream in = createInputStream()) {
      return ByteBuffer.wrap(in.readNBytes((int) bytes));
    }
  }

  @Override
  public InputStream createInputStream() throws IOException {
    hold();
    return new FrameInputStream(open());
  }

  @Override
  public synchronized ManagedBuffer retain() {
    references++;
    return this;
  }

  @Override
  public synchronized ManagedBuffer release() {
    if (--references == 0) {
      memory.ifPresent(Cleaner.Cleanable::clean);
      if (lease != null) {
        lease.close();
        lease = null;
      }
    }
    return this;
  }

  @Override
  public Object convertToNetty() throws IOException {
    hold();
    return new FrameRegion(open(), size(), server.stats());
  }

  @Override
  public Object convertToNettyForSsl() throws IOException {
    hold();
    return new FrameInputStream(open());
  }

  /** What is sent; empty if frames are sent unchanged. Always the same. */
  private Optional<PreparedBlock.Content> content() {
    if (prepared.isEmpty()) {
      return Optional.empty();
    }
    long start = System.nanoTime();
    Optional<PreparedBlock.Content> content = prepared.get().await(server.options().maxWait());
    server.stats().addSince(ShuffleCounter.SEND_WAIT_NANOS, start);
    return content;
  }

  private Pieces open() {
    Pieces afterHead =
        content()
            .map(content -> content.pieces().get())
            .orElseGet(() -> new FrameReader(frames, server::open));
    return head.hasRemaining() ? new HeadedPieces(head.duplicate(), afterHead) : afterHead;
  }

  /** A head, followed by other pieces. */
  private record HeadedPieces(ByteBuffer head, Pieces rest) implements Pieces {
    @Override
    public ByteBuffer piece() throws IOException {
      return head.hasRemaining() ? head : rest.piece();
    }

    @Override
    public void close() {
      rest.close();
    }
  }

  private synchronized void hold() throws IOException {
    if (references <= 0) {
      throw new IOException("the block was released before it was read");
    }
    if (lease == null) {
      lease = leases.acquire();
    }
  }
}
