// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * Plans the kernels and the temporary memory that sort a staging buffer of records into a run on a
 * GPU; {@link RowPartition} runs the plan.
 *
 * <p>A radix sort orders the records by partition, with at most 8 bits per pass, so that the
 * counters of a pass fit into shared memory: no pass for one partition, one for up to 256, two for
 * up to 65,536, three for up to 2^24. {@code row_partition.cu} documents the cost. Temporary memory
 * is at most 16 bytes per record and 12 per block, plus a few MiB that depend only on the GPU.
 *
 * <p>Immutable.
 */
public final class RowPartitionPlan {
  /** Maximum bytes of a staging buffer: 1 GiB. */
  public static final long MAX_BYTES = 1L << 30;

  /** Maximum number of partitions: 2^24. */
  public static final int MAX_PARTITIONS = 1 << 24;

  /** Records of a group; the host provides the start of each group. */
  public static final int GROUP_RECORDS = 32;

  /** Maximum bits of a digit: 1 KiB of counters per warp. */
  static final int MAX_DIGIT_BITS = 8;

  /** Maximum number of tiles in a pass of the sort. */
  static final int MAX_TILES = 1 << 16;

  private static final int WORD = Long.BYTES;
  private static final int WARPS_PER_CTA = 16;
  private static final int THREADS_PER_CTA = 32 * WARPS_PER_CTA;
  private static final int UNIT_WORDS = KernelLayout.UNIT_BYTES / WORD;

  /** Items that a warp of the sort processes at a time: 4 per lane. */
  private static final int TILE_STEP = 128;

  /** Values that a thread of a prefix sum processes at a time. */
  private static final int SCAN_VALUES = 4;

  private static final int ALIGNMENT = 128;

  private final long bytes;
  private final int records;
  private final int partitions;
  private final int passes;
  private final int digitBits;
  private final int tileRecords;
  private final int tileCount;
  private final int maxCtas;
  private final List<Step> steps;
  private final Temporary temporary;

  /**
   * One launch.
   *
   * @param kernel name of the kernel without its prefix
   * @param ctas number of CTAs
   * @param swapped whether it reads {@code other} and writes {@code items}, instead of the reverse
   * @param digitShift first bit of the digit that it sorts by
   * @param tileUnits units of 2 KiB that a warp takes at a time
   */
  record Step(String kernel, int ctas, boolean swapped, int digitShift, int tileUnits) {}

  /** Offsets in temporary memory, in bytes. */
  record Temporary(
      long sums,
      long blockPartitions,
      long blockStarts,
      long blockChecksums,
      long counts,
      long items,
      long other,
      long bytes) {}

  private RowPartitionPlan(int multiprocessors, long bytes, int records, int partitions) {
    this.bytes = bytes;
    this.records = records;
    this.partitions = partitions;
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(partitions - 1);
    this.passes = divideUp(bits, MAX_DIGIT_BITS);
    this.digitBits = passes == 0 ? 0 : divideUp(bits, passes);
    // One tile per concurrent warp, so that all warps finish at about the same time.
    int warps = Math.min(2 * WARPS_PER_CTA * multiprocessors, MAX_TILES);
    this.tileRecords = divideUp(divideUp(records, warps), TILE_STEP) * TILE_STEP;
    this.tileCount = divideUp(records, tileRecords);
    this.maxCtas = 4 * multiprocessors;
    this.steps = steps(multiprocessors);
    this.temporary = temporary();
  }

  /**
   * Plans a run.
   *
   * @param multiprocessors number of multiprocessors of the GPU
   * @param bytes length of all records with headers and padding; a multiple of 8, up to {@link
   *     #MAX_BYTES}
   * @param records number of records, 1 or more; each takes 8 bytes or more
   * @param partitions number of partitions of the shuffle, 1 to {@link #MAX_PARTITIONS}
   * @return the plan
   * @throws IllegalArgumentException when a number is out of its range
   */
  public static RowPartitionPlan of(int multiprocessors, long bytes, int records, int partitions) {
    if (multiprocessors < 1 || multiprocessors > 1 << 16) {
      throw new IllegalArgumentException("a GPU of " + multiprocessors + " multiprocessors");
    }
    if (bytes < WORD || bytes > MAX_BYTES || bytes % WORD != 0) {
      throw new IllegalArgumentException(
          "the records of a run have 8 to %d bytes in all, a multiple of 8, not %d"
              .formatted(MAX_BYTES, bytes));
    }
    if (records < 1 || records > bytes / WORD) {
      throw new IllegalArgumentException("%d records in %d bytes".formatted(records, bytes));
    }
    if (partitions < 1 || partitions > MAX_PARTITIONS) {
      throw new IllegalArgumentException(
          "%d partitions: a run on a GPU has 1 to %d".formatted(partitions, MAX_PARTITIONS));
    }
    return new RowPartitionPlan(multiprocessors, bytes, records, partitions);
  }

  /**
   * Returns the temporary memory that suffices for any run of up to this many records.
   *
   * @param multiprocessors number of multiprocessors of the GPU
   * @param maxRecords maximum number of records
   * @param partitions number of partitions of the shuffle, 1 to {@link #MAX_PARTITIONS}
   * @return bytes
   */
  public static long maxTemporaryBytes(int multiprocessors, int maxRecords, int partitions) {
    // Not monotonic in the number of records: a few records more may halve the number of tiles.
    long tiles = Math.min(2L * WARPS_PER_CTA * multiprocessors, MAX_TILES);
    long blocks = Math.min(maxRecords, partitions);
    long bytes =
        4L * Long.BYTES * multiprocessors
            + Integer.BYTES * (3 * blocks + 1)
            + ((Integer.BYTES * tiles) << MAX_DIGIT_BITS)
            + 2L * Long.BYTES * maxRecords;
    return bytes + 7L * ALIGNMENT;
  }

  private List<Step> steps(int multiprocessors) {
    int limit = 2 * multiprocessors;
    int parseCtas = ctas(divideUp(groups(), THREADS_PER_CTA), maxCtas);
    int sortCtas = ctas(divideUp(tileCount, WARPS_PER_CTA), limit);
    int perCta = THREADS_PER_CTA * SCAN_VALUES;
    int countCtas = ctas(divideUp(tileCount << digitBits, perCta), limit);
    int placeCtas = ctas(divideUp(records, perCta), limit);
    int units = (int) ((bytes / WORD + UNIT_WORDS - 1) / UNIT_WORDS);
    List<Step> list = new ArrayList<>();
    list.add(new Step("parse", parseCtas, false, 0, 1));
    boolean swapped = false;
    for (int pass = 0; pass < passes; pass++) {
      int shift = pass * digitBits;
      list.add(new Step("count", sortCtas, swapped, shift, 1));
      list.add(new Step("count_parts", countCtas, swapped, shift, 1));
      list.add(new Step("count_entries", countCtas, swapped, shift, 1));
      list.add(new Step("scatter", sortCtas, swapped, shift, 1));
      swapped = !swapped;
    }
    list.add(new Step("place_parts", placeCtas, swapped, 0, 1));
    list.add(new Step("place_entries", placeCtas, swapped, 0, 1));
    // Searching for a tile's first record takes a few microseconds, so tiles have several units.
    int moveUnits = Math.clamp(units / (limit * WARPS_PER_CTA), 1, 8);
    list.add(new Step("move", ctasOfTiles(units, moveUnits, limit), swapped, 0, moveUnits));
    int crcUnits = Math.clamp(units / (limit * WARPS_PER_CTA), 1, 16);
    list.add(new Step("crc32c", ctasOfTiles(units, crcUnits, limit), swapped, 0, crcUnits));
    return List.copyOf(list);
  }

  private static int ctasOfTiles(int units, int tileUnits, int limit) {
    return ctas(divideUp(divideUp(units, tileUnits), WARPS_PER_CTA), limit);
  }

  private static int ctas(int wanted, int limit) {
    return Math.clamp(wanted, 1, limit);
  }

  private static int divideUp(int a, int b) {
    return (a + b - 1) / b;
  }

  private Temporary temporary() {
    long blocks = maxBlocks();
    long[] end = {0};
    long sums = place(end, (long) Long.BYTES * maxCtas);
    long blockPartitions = place(end, Integer.BYTES * blocks);
    long blockStarts = place(end, Integer.BYTES * (blocks + 1));
    long blockChecksums = place(end, Integer.BYTES * blocks);
    long counts = place(end, ((long) Integer.BYTES * tileCount) << digitBits);
    long items = place(end, (long) Long.BYTES * records);
    long other = place(end, (long) Long.BYTES * records);
    return new Temporary(
        sums, blockPartitions, blockStarts, blockChecksums, counts, items, other, end[0]);
  }

  /** Places the next array on separate cache lines. */
  private static long place(long[] end, long arrayBytes) {
    long start = end[0];
    end[0] += (arrayBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return start;
  }

  /** {@return the length of the records, and of the run, in bytes} */
  public long bytes() {
    return bytes;
  }

  /** {@return the number of records} */
  public int records() {
    return records;
  }

  /** {@return the number of partitions of the shuffle} */
  public int partitions() {
    return partitions;
  }

  /** {@return the maximum number of blocks of the run} */
  public int maxBlocks() {
    return Math.min(records, partitions);
  }

  /** {@return the number of groups of {@link #GROUP_RECORDS} records; the last may have fewer} */
  public int groups() {
    return divideUp(records, GROUP_RECORDS);
  }

  /**
   * {@return the length of the group starts in bytes: for each group a u32, the offset of its first
   * record in staging in units of 8 bytes}
   */
  public long groupStartsBytes() {
    return (long) Integer.BYTES * groups();
  }

  /** {@return the length of the temporary memory in bytes} */
  public long temporaryBytes() {
    return temporary.bytes();
  }

  /** {@return the number of passes of the sort, 0 to 3} */
  public int passes() {
    return passes;
  }

  /** {@return the number of kernels, including the one for checksums} */
  public int launches() {
    return steps.size();
  }

  int digitBits() {
    return digitBits;
  }

  int tileRecords() {
    return tileRecords;
  }

  int tileCount() {
    return tileCount;
  }

  int maxCtas() {
    return maxCtas;
  }

  List<Step> steps() {
    return steps;
  }

  Temporary layout() {
    return temporary;
  }

  @Override
  public String toString() {
    return "%d records of %d bytes in all for %d partitions: %d passes, %d bytes of temporary memory"
        .formatted(records, bytes, partitions, passes, temporaryBytes());
  }
}
