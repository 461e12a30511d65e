// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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
 * <p>The first records of a few partitions are compressed as sort shuffle would compress them. The
 * size of a sampled partition is estimated from its own sample, which is exact if the sample
 * contains all of it, and the sizes of the others from all samples. This costs at most {@value
 * #SAMPLES} times {@value #SAMPLE_BYTES} bytes of compression, and as much memory, for each map
 * output. Used by one task thread.
 */
final class SortShuffleSizes {
  /** Bytes of a sampled partition; a block of Spark's LZ4 streams has the same size. */
  static final int SAMPLE_BYTES = 32 << 10;

  /** Maximum number of sampled partitions. */
  static final int SAMPLES = 8;

  private static final int UNKNOWN = -1;

  private final Optional<CompressionCodec> codec;
  private final boolean lengths;
  private final List<Sample> samples = new ArrayList<>();

  /** Samples that still take records, and those that have not begun. */
  private int open = SAMPLES;

  /** The first records of a partition. */
  private static final class Sample {
    private final int partition;
    private final Buffer buffer = new Buffer();

    /** Bytes in our format of the records. */
    private long bytes;

    Sample(int partition) {
      this.partition = partition;
    }

    boolean isFull() {
      return buffer.size() >= SAMPLE_BYTES;
    }
  }

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
   * @param codec the codec of Spark's shuffles, if they are compressed
   * @param lengths whether sort shuffle would write the length of each record, as it does for rows
   */
  SortShuffleSizes(Optional<CompressionCodec> codec, boolean lengths) {
    this.codec = codec;
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

  /** Whether the next record of a partition belongs to a sample. */
  boolean wants(int partition) {
    if (open == 0) {
      return false;
    }
    Sample sample = find(partition);
    return sample == null ? samples.size() < SAMPLES : !sample.isFull();
  }

  /** Adds a wanted record; see {@link RunBuilder#append} for the arguments. */
  void add(int partition, Object object, long offset, int length) {
    Sample sample = find(partition);
    if (sample == null) {
      sample = new Sample(partition);
      samples.add(sample);
    }
    int count = Math.min(length, SAMPLE_BYTES);
    byte[] record = new byte[count];
    Platform.copyMemory(object, offset, record, Platform.BYTE_ARRAY_OFFSET, count);
    if (lengths) {
      sample.buffer.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
    }
    sample.buffer.writeBytes(record);
    sample.bytes += RecordDescriptor.sizeOf(count);
    if (sample.isFull()) {
      open--;
    }
  }

  /** Adds the first bytes of a partition that is not written record by record. */
  void add(byte[] data) {
    Sample sample = new Sample(UNKNOWN);
    sample.buffer.writeBytes(data);
    sample.bytes = data.length;
    samples.add(sample);
    open--;
  }

  private Sample find(int partition) {
    for (int i = 0; i < samples.size(); i++) {
      if (samples.get(i).partition == partition) {
        return samples.get(i);
      }
    }
    return null;
  }

  /**
   * Estimates the sizes of all partitions.
   *
   * @param partitionBytes their sizes in our format: long[partitions]
   * @return estimates: long[partitions], positive where {@code partitionBytes} is
   */
  long[] estimate(long[] partitionBytes) throws IOException {
    if (samples.isEmpty()) {
      return partitionBytes.clone();
    }
    long stream = streamBytes();
    double[] ratios = new double[partitionBytes.length];
    double bytes = 0;
    double compressedBytes = 0;
    for (Sample sample : samples) {
      long compressed =
          Math.max(0, compressed(sample.buffer.array(), sample.buffer.size()) - stream);
      if (sample.partition != UNKNOWN) {
        ratios[sample.partition] = compressed / (double) sample.bytes;
      }
      bytes += sample.bytes;
      compressedBytes += compressed;
    }
    long[] sizes = new long[partitionBytes.length];
    for (int i = 0; i < sizes.length; i++) {
      if (partitionBytes[i] > 0) {
        double ratio = ratios[i] > 0 ? ratios[i] : compressedBytes / bytes;
        sizes[i] = Math.max(1, stream + Math.round(ratio * partitionBytes[i]));
      }
    }
    return sizes;
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
