// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.layout.RecordDescriptor;
import io.symshuffle.shuffle.layout.RunIndexDescriptor;
import io.symshuffle.shuffle.output.BlockTable;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.ShuffleBlockId;

/**
 * Estimates the sizes that Spark's sort shuffle would report for the partitions of a map output.
 * Adaptive execution plans by these sizes and expects them to be compressed.
 *
 * <p>Records of a few partitions, the largest of the first run, are compressed as sort shuffle
 * would compress them: at first {@value #SAMPLE_BYTES} bytes of each, then as many now and then,
 * about one in {@value #BYTES_PER_SAMPLED_BYTE} bytes of the map output. The size of a sampled
 * partition is estimated from its own samples, which is exact if they contain all of it, and the
 * sizes of the others from all samples. Used by one task thread.
 */
public final class SortShuffleSizes {
  /** Bytes of a sample; a block of Spark's LZ4 streams has the same size. */
  public static final int SAMPLE_BYTES = 32 << 10;

  /** Maximum number of sampled partitions. */
  public static final int SAMPLES = 8;

  /** Bytes of the map output for each byte that is sampled after the first samples. */
  static final int BYTES_PER_SAMPLED_BYTE = 64;

  /** Bytes of a partition between two samples: a quarter of what precedes, in these limits. */
  private static final long MIN_SKIP = 2 * SAMPLE_BYTES;

  private static final long MAX_SKIP = 2 << 20;

  private static final int UNKNOWN = -1;

  private static final ShuffleBlockId ANY_BLOCK = new ShuffleBlockId(0, 0, 0);

  private final UnaryOperator<OutputStream> compression;
  private final boolean lengths;
  private final List<Sample> samples = new ArrayList<>();

  /** How many more bytes may be sampled, apart from the first of each partition. */
  private long budget = (long) SAMPLES * SAMPLE_BYTES;

  private long emptyStream = UNKNOWN;

  /** Some records of a partition, each for those up to the next ones. */
  private static final class Sample {
    private final int partition;

    /** What sort shuffle would write, not compressed yet. */
    private final Buffer buffer = new Buffer();

    /** Bytes in our format of the records in the buffer. */
    private long bufferBytes;

    /** Compressed bytes for each byte in our format, in the last block that was compressed. */
    private double ratio;

    /** Bytes of the partition since the first record of that block or of the buffer. */
    private long since;

    /** Bytes of the partition before these, and an estimate of their compressed size. */
    private long bytes;

    private double compressedBytes;

    /** Bytes of the partition before the next record to take. */
    private long skip;

    Sample(int partition) {
      this.partition = partition;
    }

    /** Takes a record, or its first bytes. */
    void add(Records records, boolean withLength) {
      int length = Math.min(records.length, SAMPLE_BYTES);
      if (withLength) {
        buffer.writeInt(length);
      }
      buffer.write(records.run, records.start, length);
      bufferBytes += Math.min(records.bytes, RecordDescriptor.sizeOf(length));
      since += records.bytes;
    }

    boolean isFull() {
      return buffer.size >= SAMPLE_BYTES;
    }

    /** Does not take records of so many bytes. */
    void pass(long count) {
      skip -= count;
      since += count;
    }

    /** Begins with other records. */
    void next() {
      bytes += since;
      compressedBytes += ratio * since;
      since = 0;
    }
  }

  /** Goes over the records of a block. */
  private static final class Records {
    private final MemorySegment run;
    private final long end;
    private long position;
    private int left;

    /** First byte of the record. */
    private long start;

    private int length;

    /** What the record takes in the run; the first of a group takes the group's header, too. */
    private long bytes;

    Records(MemorySegment run, long start, long end) {
      this.run = run;
      this.position = start;
      this.end = end;
    }

    /** Moves to the next record; false if there is none. */
    boolean next() {
      bytes = 0;
      if (left == 0) {
        if (position >= end) {
          return false;
        }
        length = get(RecordDescriptor.LENGTH_OFFSET);
        left = get(RecordDescriptor.COUNT_OFFSET);
        position += RecordDescriptor.HEADER_BYTES;
        bytes = RecordDescriptor.HEADER_BYTES;
      }
      left--;
      start = position;
      long padded = RecordDescriptor.paddedLength(length);
      bytes += padded;
      position += padded;
      return true;
    }

    /** Bytes of the records that follow. */
    long rest() {
      return end - position;
    }

    private int get(int offset) {
      return run.get(ValueLayout.JAVA_INT_UNALIGNED, position + offset);
    }
  }

  /** Bytes that are copied once, as there are many short records. */
  private static final class Buffer {
    private byte[] bytes = new byte[64];
    private int size;

    void writeInt(int number) {
      reserve(Integer.BYTES);
      for (int shift = 24; shift >= 0; shift -= 8) {
        bytes[size++] = (byte) (number >>> shift);
      }
    }

    void write(MemorySegment from, long start, int count) {
      reserve(count);
      MemorySegment.copy(from, ValueLayout.JAVA_BYTE, start, bytes, size, count);
      size += count;
    }

    private void reserve(int count) {
      if (count > bytes.length - size) {
        bytes = Arrays.copyOf(bytes, Math.max(size + count, 2 * bytes.length));
      }
    }
  }

  /** Counts bytes. */
  private static final class Counter extends OutputStream {
    long count;

    @Override
    public void write(int one) {
      count++;
    }

    @Override
    public void write(byte[] from, int offset, int length) {
      count += length;
    }
  }

  /**
   * @param compression compresses what is written to a stream as Spark's shuffles do, if they do
   * @param lengths whether sort shuffle would write the length of each record, as it does for rows
   */
  public SortShuffleSizes(UnaryOperator<OutputStream> compression, boolean lengths) {
    this.compression = compression;
    this.lengths = lengths;
  }

  /** Starts with the compression of this application's shuffles. */
  public static SortShuffleSizes ofApplication(boolean lengths) {
    SerializerManager streams = SparkEnv.get().serializerManager();
    return new SortShuffleSizes(out -> streams.wrapForCompression(ANY_BLOCK, out), lengths);
  }

  /**
   * Samples a run of records.
   *
   * @param run the records, by partition
   * @param blocks its parts
   */
  void add(MemorySegment run, BlockTable blocks) throws IOException {
    budget += run.byteSize() / BYTES_PER_SAMPLED_BYTE;
    for (Sample sample : samples) {
      int block = Arrays.binarySearch(blocks.partitions(), 0, blocks.count(), sample.partition);
      if (block >= 0) {
        add(sample, run, start(blocks, block), start(blocks, block + 1));
      }
    }
    while (samples.size() < SAMPLES) {
      int block = largestWithoutSample(blocks);
      if (block < 0) {
        break;
      }
      samples.add(new Sample(blocks.partitions()[block]));
      add(samples.getLast(), run, start(blocks, block), start(blocks, block + 1));
    }
  }

  private int largestWithoutSample(BlockTable blocks) {
    int largest = -1;
    long most = 0;
    for (int block = 0; block < blocks.count(); block++) {
      long bytes = start(blocks, block + 1) - start(blocks, block);
      if (bytes > most && !hasSample(blocks.partitions()[block])) {
        largest = block;
        most = bytes;
      }
    }
    return largest;
  }

  private boolean hasSample(int partition) {
    for (Sample sample : samples) {
      if (sample.partition == partition) {
        return true;
      }
    }
    return false;
  }

  private static long start(BlockTable blocks, int block) {
    return Integer.toUnsignedLong(blocks.starts()[block]) * RunIndexDescriptor.START_UNIT;
  }

  private void add(Sample sample, MemorySegment run, long start, long end) throws IOException {
    Records records = new Records(run, start, end);
    while (records.rest() > 0) {
      if (sample.skip >= records.rest()) {
        sample.pass(records.rest());
        return;
      }
      while (sample.skip > 0 && records.next()) {
        sample.pass(records.bytes);
      }
      if (sample.buffer.size == 0 && !begin(sample)) {
        continue;
      }
      while (!sample.isFull() && records.next()) {
        sample.add(records, lengths);
      }
      if (sample.isFull()) {
        compress(sample);
        sample.skip = Math.clamp((sample.bytes + sample.since) / 4, MIN_SKIP, MAX_SKIP);
      }
    }
  }

  /** Returns false if another sample would be too many; the first of a partition never is. */
  private boolean begin(Sample sample) {
    if (sample.bytes + sample.since > 0) {
      if (budget < SAMPLE_BYTES) {
        sample.skip = MIN_SKIP;
        return false;
      }
      budget -= SAMPLE_BYTES;
    }
    sample.next();
    return true;
  }

  /** Adds the first bytes of a partition that is not written record by record. */
  public void add(byte[] data) {
    Sample sample = new Sample(UNKNOWN);
    sample.buffer.write(MemorySegment.ofArray(data), 0, data.length);
    sample.bufferBytes = data.length;
    sample.since = data.length;
    samples.add(sample);
  }

  /**
   * Estimates the sizes of all partitions.
   *
   * @param partitionBytes their sizes in our format: long[partitions]
   * @return estimates: long[partitions], positive where {@code partitionBytes} is
   */
  public long[] estimate(long[] partitionBytes) throws IOException {
    if (samples.isEmpty()) {
      return partitionBytes.clone();
    }
    double[] ratios = new double[partitionBytes.length];
    double bytes = 0;
    double compressedBytes = 0;
    for (Sample sample : samples) {
      compress(sample);
      sample.next();
      if (sample.partition != UNKNOWN) {
        ratios[sample.partition] = sample.compressedBytes / sample.bytes;
      }
      bytes += sample.bytes;
      compressedBytes += sample.compressedBytes;
    }
    long stream = emptyStream();
    long[] sizes = new long[partitionBytes.length];
    for (int i = 0; i < sizes.length; i++) {
      if (partitionBytes[i] > 0) {
        double ratio = ratios[i] > 0 ? ratios[i] : compressedBytes / bytes;
        sizes[i] = Math.max(1, stream + Math.round(ratio * partitionBytes[i]));
      }
    }
    return sizes;
  }

  /** Compresses what is in the buffer of a sample, at most one block, and empties it. */
  private void compress(Sample sample) throws IOException {
    int size = sample.buffer.size;
    if (sample.bufferBytes == 0) {
      return;
    }
    int used = Math.min(size, SAMPLE_BYTES);
    long compressed = compressed(sample.buffer.bytes, used) - emptyStream();
    double share = size == 0 ? 1 : used / (double) size;
    sample.ratio = Math.max(0, compressed) / (share * sample.bufferBytes);
    sample.buffer.size = 0;
    sample.bufferBytes = 0;
  }

  /** Bytes of a stream without content; measured once, since each stream allocates buffers. */
  private long emptyStream() throws IOException {
    if (emptyStream == UNKNOWN) {
      emptyStream = compressed(new byte[0], 0);
    }
    return emptyStream;
  }

  /** Bytes that a stream of these bytes takes. */
  private long compressed(byte[] from, int count) throws IOException {
    Counter counter = new Counter();
    try (OutputStream out = compression.apply(counter)) {
      out.write(from, 0, count);
    }
    return counter.count;
  }
}
