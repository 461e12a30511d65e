// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.compress.BlockDecompressor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads one map output's data of the DISK tier. Not thread-safe. */
public final class RunReader implements AutoCloseable {
  /** Maximum array size that every JVM supports. */
  private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

  private static final Logger LOG = LoggerFactory.getLogger(RunReader.class);

  private final DiskFile file;

  RunReader(DiskFile file) {
    this.file = file;
  }

  /**
   * Opens the file of a map output.
   *
   * @throws IOException if it does not exist or cannot be read
   */
  public static RunReader open(MapOutput output) throws IOException {
    return new RunReader(output.files().open(output.id()));
  }

  /**
   * Fills the rest of a buffer.
   *
   * @param position in the file, in bytes
   * @throws IOException if the file is shorter or cannot be read
   */
  public void read(long position, ByteBuffer to) throws IOException {
    file.read(position, to);
  }

  /**
   * Reads a block into a new array.
   *
   * @param position in the file, in bytes
   * @param bytes size of the block
   * @throws IOException if the file is shorter or cannot be read, or no array is that long
   */
  public byte[] readBlock(long position, long bytes) throws IOException {
    if (bytes > MAX_ARRAY_BYTES || position > file.bytes() - bytes) {
      throw new IOException(
          "cannot read a block of %d bytes at %d from %s, which has %d bytes"
              .formatted(bytes, position, file.path(), file.bytes()));
    }
    byte[] block = new byte[(int) bytes];
    file.read(position, ByteBuffer.wrap(block));
    return block;
  }

  /**
   * Reads the records of a block into a new array.
   *
   * @param run a run of the DISK tier
   * @param decompressor used if its blocks are packets
   * @throws IOException if the file is shorter or cannot be read, or no array is that long, or the
   *     packets are damaged
   * @throws CorruptIndexException if the index is damaged
   */
  public byte[] readBlock(RunView run, int block, BlockDecompressor decompressor)
      throws IOException {
    long size = run.size(block);
    byte[] stored = readBlock(run.storedPlace(block), run.storedBytes(block));
    if (!run.isPacked()) {
      return stored;
    }
    if (size > MAX_ARRAY_BYTES) {
      throw new IOException("a block of %d bytes does not fit into an array".formatted(size));
    }
    byte[] records = new byte[(int) size];
    ByteBuffer packets = ByteBuffer.wrap(stored);
    for (int done = 0; done < records.length; ) {
      done += decompressor.next(packets, MemorySegment.ofArray(records).asSlice(done));
    }
    return records;
  }

  /** Closes the file. A failure is only logged, since nothing was written. */
  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      LOG.warn("Cannot close {}: {}", file.path(), e.toString());
    }
  }
}
