// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.migrate;

import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.MapOutputStore;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableFrameHead;
import io.symshuffle.shuffle.output.TableOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Stores the frames of a whole map output as a map output of this PE: in the host heap, or on disk
 * if the heap is full. Used by one thread, once.
 */
final class ReceivedFrames {
  /** Size of the runs that are stored, in bytes; a larger frame is a separate run. */
  private static final int RUN_BYTES = 4 << 20;

  private static final int UNKNOWN = -1;

  private final InputStream in;
  private final MapOutputId id;
  private final int partitions;
  private final MapOutputStore store;
  private final boolean verify;
  private final ShuffleStats stats;
  private final byte[] step = new byte[1 << 20];

  /** Frames that follow the current one; {@link #UNKNOWN} before the first. */
  private int following = UNKNOWN;

  /**
   * @param in the frames, not compressed
   */
  ReceivedFrames(
      InputStream in,
      MapOutputId id,
      int partitions,
      MapOutputStore store,
      boolean verify,
      ShuffleStats stats) {
    this.in = in;
    this.id = id;
    this.partitions = partitions;
    this.store = store;
    this.verify = verify;
    this.stats = stats;
  }

  /**
   * Stores and publishes the map output. Without frames, it has no data.
   *
   * @throws IOException if the frames are damaged or truncated, heap and disk are full, or the
   *     shuffle has ended; nothing is left then
   */
  void store() throws IOException {
    byte[] magic = in.readNBytes(Integer.BYTES);
    int first =
        magic.length < Integer.BYTES
            ? FrameDescriptor.MAGIC
            : ByteBuffer.wrap(magic).order(ByteOrder.LITTLE_ENDIAN).getInt();
    switch (first) {
      case FrameDescriptor.MAGIC -> storeRows(magic);
      case TableFrameDescriptor.MAGIC, TableFrameDescriptor.PACKED_MAGIC -> storeTables(magic);
      default -> throw corrupt("a frame has the magic number %08x".formatted(first));
    }
  }

  private void storeRows(byte[] magic) throws IOException {
    RowOutputBuilder output = store.buildRows(id, partitions);
    try (Arena arena = Arena.ofConfined()) {
      Run run =
          new Run(
              DirectMemory.require(
                  "a run of %d bytes from another executor",
                  RUN_BYTES, () -> arena.allocate(RUN_BYTES, Long.BYTES)));
      byte[] header = new byte[FrameDescriptor.HEADER_BYTES];
      while (readHeader(header, magic)) {
        ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        int partition = fields.getInt(FrameDescriptor.PARTITION_OFFSET);
        long bytes = fields.getLong(FrameDescriptor.BYTES_OFFSET);
        if (fields.getInt(FrameDescriptor.MAGIC_OFFSET) != FrameDescriptor.MAGIC
            || partition < 0
            || partition >= partitions
            || bytes <= 0
            || bytes > Integer.MAX_VALUE - 8
            || (bytes & 7) != 0) {
          throw corrupt("a frame has %d bytes for partition %d".formatted(bytes, partition));
        }
        checkFollowing(fields.getInt(FrameDescriptor.FOLLOWING_OFFSET));
        int crc = FrameDescriptor.crc(fields);
        if (!run.accepts(partition, bytes)) {
          run.flush(output);
        }
        if (bytes <= RUN_BYTES) {
          run.read(partition, bytes, crc);
        } else {
          // Grows while bytes arrive, so a damaged size does not exhaust memory.
          byte[] block = in.readNBytes((int) bytes);
          if (block.length < bytes) {
            throw endsInFrame();
          }
          Run alone = new Run(MemorySegment.ofArray(block));
          alone.add(partition, bytes, crc);
          alone.flush(output);
        }
      }
      run.flush(output);
      if (output.commit()) {
        stats.published(id.shuffleId());
      }
    } finally {
      output.abort(); // does nothing after a commit
    }
  }

  /** Consecutive frames with ascending partitions. */
  private final class Run {
    private final MemorySegment memory;
    private final List<int[]> blocks = new ArrayList<>();
    private long bytes;

    Run(MemorySegment memory) {
      this.memory = memory;
    }

    boolean accepts(int partition, long more) {
      return bytes + more <= memory.byteSize()
          && (blocks.isEmpty() || blocks.getLast()[0] < partition);
    }

    void read(int partition, long length, int crc) throws IOException {
      ReceivedFrames.this.read(memory.asSlice(bytes, length));
      add(partition, length, crc);
    }

    /** Adds a block that is in memory already. */
    void add(int partition, long length, int crc) throws IOException {
      MemorySegment block = memory.asSlice(bytes, length);
      if (verify && Crc32c.of(block, 0, length) != crc) {
        throw corrupt("a block of partition %d does not match its checksum".formatted(partition));
      }
      blocks.add(new int[] {partition, (int) (bytes / Long.BYTES), crc});
      bytes += length;
    }

    void flush(RowOutputBuilder output) throws IOException {
      if (blocks.isEmpty()) {
        return;
      }
      int count = blocks.size();
      int[] starts = new int[count + 1];
      for (int i = 0; i < count; i++) {
        starts[i] = blocks.get(i)[1];
      }
      starts[count] = (int) (bytes / Long.BYTES);
      BlockTable table =
          new BlockTable(
              count,
              blocks.stream().mapToInt(block -> block[0]).toArray(),
              starts,
              blocks.stream().mapToInt(block -> block[2]).toArray());
      stats.wrote(id.shuffleId(), output.addRun(memory.asSlice(0, bytes), table), bytes);
      blocks.clear();
      bytes = 0;
    }
  }

  private void storeTables(byte[] magic) throws IOException {
    TableOutputBuilder output = store.buildTables(id, partitions);
    try {
      byte[] header = new byte[TableFrameDescriptor.HEADER_BYTES];
      while (readHeader(header, magic)) {
        output.add(storeTable(header, output));
      }
      if (output.commit()) {
        stats.published(id.shuffleId());
      }
    } finally {
      output.abort(); // does nothing after a commit
    }
  }

  private TableEntry storeTable(byte[] header, TableOutputBuilder output) throws IOException {
    TableEntry table;
    try {
      TableFrameHead head = TableFrameHead.read(header, in);
      checkFollowing(head.following());
      table = head.table();
    } catch (IllegalArgumentException e) {
      throw corrupt(e.getMessage());
    }
    long stored = table.storedBytes();
    if (stored == 0) {
      return table;
    }
    Optional<MemorySegment> memory = output.allocateHost(stored);
    if (memory.isPresent()) {
      read(memory.get());
      check(Crc32c.of(memory.get(), 0, stored), table.storedChecksum());
      table = table.at(Tier.HOST, output.hostOffset(memory.get()));
    } else {
      table = table.at(Tier.DISK, appendToFile(stored, table.storedChecksum(), output));
    }
    stats.wrote(id.shuffleId(), table.tier(), table.bytes());
    return table;
  }

  private long appendToFile(long bytes, int crc, TableOutputBuilder output) throws IOException {
    CRC32C found = new CRC32C();
    long place = -1;
    for (long done = 0; done < bytes; ) {
      int length = readStep(bytes - done);
      found.update(step, 0, length);
      long position = output.appendToFile(ByteBuffer.wrap(step, 0, length));
      place = place < 0 ? position : place;
      done += length;
    }
    check((int) found.getValue(), crc);
    return place;
  }

  /** Checks the data of a table; a checksum of 0 means that there is none. */
  private void check(int found, int crc) throws IOException {
    if (crc != 0 && found != crc) {
      throw corrupt("the data of a table does not match its checksum");
    }
  }

  /** Reads the next header; false after the last frame. */
  private boolean readHeader(byte[] header, byte[] magic) throws IOException {
    int got = 0;
    if (following == UNKNOWN) {
      got = magic.length;
      System.arraycopy(magic, 0, header, 0, got);
    }
    got += in.readNBytes(header, got, header.length - got);
    if (got == 0 && following <= 0) {
      return false;
    }
    if (got < header.length) {
      throw new EOFException(
          "map output %d of shuffle %d ends with %d of %d bytes of a frame's header"
              .formatted(id.mapId(), id.shuffleId(), got, header.length));
    }
    return true;
  }

  private void checkFollowing(int after) throws IOException {
    if (after < 0 || (following != UNKNOWN && after != following - 1)) {
      throw corrupt(
          "%d frames follow, but %d followed the previous frame".formatted(after, following));
    }
    following = after;
  }

  private void read(MemorySegment to) throws IOException {
    for (long done = 0; done < to.byteSize(); ) {
      int length = readStep(to.byteSize() - done);
      MemorySegment.copy(step, 0, to, ValueLayout.JAVA_BYTE, done, length);
      done += length;
    }
  }

  /** Reads the next bytes of a frame to {@link #step}; returns how many. */
  private int readStep(long most) throws IOException {
    int want = (int) Math.min(step.length, most);
    if (in.readNBytes(step, 0, want) < want) {
      throw endsInFrame();
    }
    return want;
  }

  private EOFException endsInFrame() {
    return new EOFException(
        "map output %d of shuffle %d ends within a frame".formatted(id.mapId(), id.shuffleId()));
  }

  private IOException corrupt(String found) {
    return new IOException(
        "map output %d of shuffle %d arrived damaged: %s"
            .formatted(id.mapId(), id.shuffleId(), found));
  }
}
