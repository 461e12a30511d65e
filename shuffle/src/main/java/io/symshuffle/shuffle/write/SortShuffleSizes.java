// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.unsafe.Platform;

/**
 * Estimates the sizes that Spark's sort shuffle would report for the partitions of a map output.
 * Adaptive execution plans by these sizes and expects them to be compressed.
 *
 * <p>A few partitions are sampled: the first records of each are compressed as sort shuffle would
 * compress them. This costs at most {@value #SAMPLES} times {@value #SAMPLE_BYTES} bytes of
 * compression for each map output. Used by one task thread.
 */
final class SortShuffleSizes {
  /** Bytes of a sampled partition; a block of Spark's LZ4 streams has the same size. */
  static final int SAMPLE_BYTES = 32 << 10;

  /** Maximum number of sampled partitions. */
  static final int SAMPLES = 4;

  private static final int NEXT = -1;
  private static final int NONE = -2;

  private final Optional<CompressionCodec> codec;
  private final boolean lengths;
  private final Buffer sample = new Buffer();
  private int samples;

  /** The partition that is being sampled, {@link #NEXT} for any, or {@link #NONE}. */
  private int partition = NEXT;

  /** Bytes in our format of the records in {@link #sample}. */
  private long sampleBytes;

  private long bytes;
  private long compressedBytes;

  /** Exposes its array, so that it is not copied. */
  private static final class Buffer extends ByteArrayOutputStream {
    byte[] array() {
      return buf;
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
   * Starts without a sample.
   *
   * @param codec the codec of Spark's shuffles, if they are compressed
   * @param lengths whether sort shuffle would write the length of each record, as it does for rows
   */
  SortShuffleSizes(Optional<CompressionCodec> codec, boolean lengths) {
    this.codec = requireNonNull(codec, "codec is null");
    this.lengths = lengths;
  }

  /** Starts with the codec in this application's settings. */
  static SortShuffleSizes ofApplication(boolean lengths) {
    SparkConf conf = SparkEnv.get().conf();
    boolean compressed = (boolean) conf.get(package$.MODULE$.SHUFFLE_COMPRESS());
    return new SortShuffleSizes(compressed ? Optional.of(codec(conf)) : Optional.empty(), lengths);
  }

  private static CompressionCodec codec(SparkConf conf) {
    return CompressionCodec$.MODULE$.createCodec(conf);
  }

  /** Whether the next record of a partition belongs to the sample. */
  boolean wants(int ofPartition) {
    return partition == ofPartition || partition == NEXT;
  }

  /** Adds a wanted record; see {@link RunBuilder#append} for the arguments. */
  void add(int ofPartition, Object object, long offset, int length) throws IOException {
    partition = ofPartition;
    int count = Math.min(length, SAMPLE_BYTES);
    byte[] record = new byte[count];
    Platform.copyMemory(object, offset, record, Platform.BYTE_ARRAY_OFFSET, count);
    if (lengths) {
      sample.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
    }
    sample.writeBytes(record);
    sampleBytes += RecordDescriptor.sizeOf(count);
    if (sample.size() >= SAMPLE_BYTES) {
      endSample();
    }
  }

  /** Adds the first bytes of a partition that is not written record by record. */
  void add(byte[] data) throws IOException {
    sample.writeBytes(data);
    sampleBytes += data.length;
    endSample();
  }

  /**
   * Estimates the sizes of all partitions.
   *
   * @param partitionBytes their sizes in our format: long[partitions]
   * @return estimates: long[partitions], positive where {@code partitionBytes} is
   */
  long[] estimate(long[] partitionBytes) throws IOException {
    if (sampleBytes > 0) {
      endSample();
    }
    if (bytes == 0) {
      return partitionBytes.clone();
    }
    long stream = streamBytes();
    double ratio = Math.max(0, compressedBytes - samples * stream) / (double) bytes;
    long[] sizes = new long[partitionBytes.length];
    for (int i = 0; i < sizes.length; i++) {
      if (partitionBytes[i] > 0) {
        sizes[i] = Math.max(1, stream + Math.round(ratio * partitionBytes[i]));
      }
    }
    return sizes;
  }

  private void endSample() throws IOException {
    bytes += sampleBytes;
    compressedBytes += compressed(sample.array(), sample.size());
    samples++;
    sample.reset();
    sampleBytes = 0;
    partition = samples < SAMPLES ? NEXT : NONE;
  }

  /** Bytes that a stream takes in addition to its data. */
  private long streamBytes() throws IOException {
    return compressed(new byte[1], 1) - 1;
  }

  private long compressed(byte[] from, int count) throws IOException {
    if (codec.isEmpty()) {
      return count;
    }
    Counter counter = new Counter();
    try (OutputStream out = codec.get().compressedOutputStream(counter)) {
      out.write(from, 0, count);
    }
    return counter.count;
  }
}
