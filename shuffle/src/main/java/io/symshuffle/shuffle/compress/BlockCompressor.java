// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

import static io.symshuffle.shuffle.layout.ChunkDescriptor.HEADER_BYTES;
import static java.util.Objects.requireNonNull;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.symshuffle.shuffle.layout.ChunkDescriptor;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import org.apache.spark.unsafe.Platform;

/**
 * Compresses the bytes that are sent for a block, chunk by chunk. Call {@link #begin} for each
 * block, then {@link #compress} until all its bytes are consumed:
 *
 * <pre>{@code
 * compressor.begin(FrameShape.RECORDS);
 * for (long done = 0; done < bytes.byteSize(); ) {
 *   ByteBuffer chunk = ...;  // direct, with room for maxChunkBytes()
 *   done += compressor.compress(bytes.asSlice(done), chunk);
 *   send(chunk.flip());
 * }
 * }</pre>
 *
 * <p>A chunk contains records of several frames, since the frames of a map task with many
 * partitions are too short to be compressed well.
 *
 * <p>An instance uses about twice its chunk size of memory and can be used for any number of
 * blocks. Not thread-safe.
 */
public final class BlockCompressor implements AutoCloseable {
  /** Default size of the data of a chunk: 128 KiB. */
  public static final int CHUNK_BYTES = 128 << 10;

  /** Opaque data: bytes in the middle of a chunk that are compressed twice, to choose a layout. */
  private static final int SAMPLE_BYTES = 4 << 10;

  private final Codec codec;
  private final int chunkBytes;
  private final LZ4Compressor lz4;
  private final ZstdCompressCtx zstd;
  private final int maxBodyBytes;
  private final RecordPlanes records = new RecordPlanes();

  /** The body of a chunk before compression. */
  private final ByteBuffer body;

  private final long bodyAddress;

  private FrameShape shape = FrameShape.OPAQUE;

  /** Bytes of a record that is longer than a chunk and not yet consumed. */
  private long restOfRecord;

  /**
   * Creates a compressor for chunks of {@link #CHUNK_BYTES}.
   *
   * @param codec codec of all chunks that it makes smaller
   * @param zstdLevel level of {@link Codec#ZSTD}; not used by the others
   */
  public BlockCompressor(Codec codec, int zstdLevel) {
    this(codec, zstdLevel, CHUNK_BYTES);
  }

  /**
   * Creates a compressor.
   *
   * @param codec codec of all chunks that it makes smaller
   * @param zstdLevel level of {@link Codec#ZSTD}; not used by the others
   * @param chunkBytes maximum size of the data of a chunk, in bytes; a multiple of 8, at most
   *     {@link ChunkDescriptor#MAX_DATA_BYTES}
   */
  public BlockCompressor(Codec codec, int zstdLevel, int chunkBytes) {
    this.codec = requireNonNull(codec, "codec is null");
    if (chunkBytes <= 0 || chunkBytes > ChunkDescriptor.MAX_DATA_BYTES || (chunkBytes & 7) != 0) {
      throw new IllegalArgumentException("chunks of %d bytes".formatted(chunkBytes));
    }
    this.chunkBytes = chunkBytes;
    this.lz4 = codec == Codec.LZ4 ? LZ4Factory.fastestInstance().fastCompressor() : null;
    this.zstd = codec == Codec.ZSTD ? new ZstdCompressCtx().setLevel(zstdLevel) : null;
    this.maxBodyBytes =
        switch (codec) {
          case NONE -> chunkBytes;
          case LZ4 -> lz4.maxCompressedLength(chunkBytes);
          case ZSTD -> Math.toIntExact(Zstd.compressBound(chunkBytes));
        };
    this.body = ByteBuffer.allocateDirect(chunkBytes);
    this.bodyAddress = MemorySegment.ofBuffer(body).address();
  }

  /** Space that {@link #compress} needs for a chunk, in bytes; more than it usually writes. */
  public int maxChunkBytes() {
    return HEADER_BYTES + maxBodyBytes;
  }

  /** Begins a block. */
  public void begin(FrameShape content) {
    shape = requireNonNull(content, "content is null");
    restOfRecord = 0;
  }

  /**
   * Compresses the next chunk of the block. It ends between two records, except for parts of a
   * record that is longer than a chunk.
   *
   * @param data the bytes that are not consumed yet, or the first of them: all, or at least the
   *     chunk size; native memory or a {@code byte[]}
   * @param chunk gets the chunk, at its position; a direct buffer with at least {@link
   *     #maxChunkBytes} bytes left
   * @return number of bytes consumed, at least 1
   */
  public int compress(MemorySegment data, ByteBuffer chunk) {
    if (data.byteSize() == 0 || !chunk.isDirect() || chunk.remaining() < maxChunkBytes()) {
      throw new IllegalArgumentException(
          "%d bytes of data into %s; a chunk needs up to %d bytes"
              .formatted(data.byteSize(), chunk, maxChunkBytes()));
    }
    int available = (int) Math.min(chunkBytes, data.byteSize());
    if (shape == FrameShape.RECORDS && restOfRecord == 0) {
      Object array = Memory.array(data);
      long start = Memory.offset(data);
      Optional<ChunkHeader> header = records.measure(array, start, available);
      if (header.isPresent() && !header.get().isOpaque()) {
        records.split(header.get(), array, start, bodyAddress);
        write(header.get(), chunk);
        return header.get().dataBytes();
      }
      if (header.isPresent()) {
        available = header.get().dataBytes();
      } else {
        // A record that is longer than a chunk is cut into opaque chunks.
        int length = available < Integer.BYTES ? -1 : Platform.getInt(array, start);
        restOfRecord = length < 0 ? Long.MAX_VALUE : RecordDescriptor.sizeOf(length);
      }
    }
    if (restOfRecord != 0) {
      available = (int) Math.min(available, restOfRecord);
      restOfRecord -= available;
    }
    writeOpaque(data.asSlice(0, available), chunk);
    return available;
  }

  /** Writes a chunk of any bytes, transposed as words if that makes a sample smaller. */
  private void writeOpaque(MemorySegment data, ByteBuffer chunk) {
    Object array = Memory.array(data);
    long start = Memory.offset(data);
    int bytes = (int) data.byteSize();
    int sample = Math.min(SAMPLE_BYTES, bytes);
    int layout = ChunkDescriptor.OPAQUE;
    if (codec != Codec.NONE) {
      long from = start + (((bytes - sample) / 2) & -Long.BYTES);
      Platform.copyMemory(array, from, null, bodyAddress, sample);
      int plain = compressBody(sample, chunk);
      RecordPlanes.splitWords(array, from, sample, bodyAddress);
      if (compressBody(sample, chunk) < plain) {
        layout = ChunkDescriptor.OPAQUE_WORDS;
      }
    }
    if (layout == ChunkDescriptor.OPAQUE) {
      Platform.copyMemory(array, start, null, bodyAddress, bytes);
    } else {
      RecordPlanes.splitWords(array, start, bytes, bodyAddress);
    }
    write(ChunkHeader.opaque(layout, bytes), chunk);
  }

  /** Writes a chunk with the body, compressed if that makes it smaller. */
  private void write(ChunkHeader plain, ByteBuffer chunk) {
    int bytes = plain.bodyBytes();
    int compressed = compressBody(bytes, chunk);
    ChunkHeader header = plain;
    if (compressed < bytes) {
      header = plain.withBody(codec, compressed);
    } else {
      chunk.put(chunk.position() + HEADER_BYTES, body, 0, bytes);
    }
    header.write(chunk);
    chunk.position(chunk.position() + HEADER_BYTES + header.bodyBytes());
  }

  /** Compresses the first bytes of the body to their place in a chunk; returns their new size. */
  private int compressBody(int bytes, ByteBuffer chunk) {
    int to = chunk.position() + HEADER_BYTES;
    int room = chunk.limit() - to;
    return switch (codec) {
      case NONE -> bytes;
      case LZ4 -> lz4.compress(body, 0, bytes, chunk, to, room);
      case ZSTD -> zstd.compressDirectByteBuffer(chunk, to, room, body, 0, bytes);
    };
  }

  @Override
  public void close() {
    if (zstd != null) {
      zstd.close();
    }
  }
}
