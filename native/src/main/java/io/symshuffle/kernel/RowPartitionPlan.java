// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * How a staging buffer of records becomes a run on a GPU: the launches, and the temporary memory
 * that they need. Only numbers; {@link RowPartition} does it.
 *
 * <p>The records are sorted by the bits of their partition's number, at most 8 a pass, so that the
 * counters of a pass fit into shared memory: no pass for one partition, one for up to 256, two for
 * up to 65,536, three for up to 2^24. What that costs is in {@code row_partition.cu}. Temporary
 * memory is 16 bytes a record and 12 a block at most, and a few MiB that depend on the GPU alone.
 *
 * <p>Immutable. Threads: any.
 */
public final class RowPartitionPlan {
  /** Most bytes of a staging buffer: 1 GiB. */
  public static final long MAX_BYTES = 1L << 30;

  /** Most partitions: 2^24. */
  public static final int MAX_PARTITIONS = 1 << 24;

  /** The host notes where the first of so many records starts. */
  public static final int GROUP_RECORDS = 32;

  /** Most bits of a digit: 1 KiB of counters a warp. */
  static final int MAX_DIGIT_BITS = 8;

  /** Most tiles that a pass of the sort is cut into. */
  static final int MAX_TILES = 1 << 16;

  private static final int WORD = Long.BYTES;
  private static final int WARPS_A_CTA = 16;
  private static final int THREADS_A_CTA = 32 * WARPS_A_CTA;
  private static final int UNIT_WORDS = KernelLayout.UNIT_BYTES / WORD;

  /** Items that a warp of the sort processes at a time: 4 per lane. */
  private static final int TILE_STEP = 128;

  /** Values that a thread of a running sum processes at a time. */
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
   * @param kernel name of the kernel
   * @param ctas CTAs
   * @param swapped whether it reads from {@code other} and writes to {@code items}
   * @param digitShift first bit of the digit that it sorts by
   * @param tileUnits units of 2 KiB of the run that a warp takes at a time
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
    // A tile for each warp that runs at once, so that all end together.
    int warps = Math.min(2 * WARPS_A_CTA * multiprocessors, MAX_TILES);
    this.tileRecords = divideUp(divideUp(records, warps), TILE_STEP) * TILE_STEP;
    this.tileCount = divideUp(records, tileRecords);
    this.maxCtas = 4 * multiprocessors;
    this.steps = steps(multiprocessors);
    this.temporary = temporary();
  }

  /**
   * Plans a run.
   *
   * @param multiprocessors of the GPU
   * @param bytes of all records with headers and padding; a multiple of 8, up to {@link #MAX_BYTES}
   * @param records 1 or more; each takes 8 bytes or more
   * @param partitions of the shuffle, 1 to {@link #MAX_PARTITIONS}
   * @return the plan
   * @throws IllegalArgumentException when a number is out of its range
   */
  public static RowPartitionPlan of(int multiprocessors, long bytes, int records, int partitions) {
    if (multiprocessors < 1 || multiprocessors > 1 << 16) {
      throw new IllegalArgumentException("a GPU of " + multiprocessors + " multiprocessors");
    }
    if (bytes < WORD || bytes > MAX_BYTES || bytes % WORD != 0) {
      throw new IllegalArgumentException(
          "a run is made of records of 8 to %d bytes in all, a multiple of 8, not of %d"
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
   * Temporary memory that is enough for every run of up to this many records, of any length.
   *
   * @param multiprocessors of the GPU
   * @param mostRecords records of the run at most
   * @param partitions of the shuffle, 1 to {@link #MAX_PARTITIONS}
   * @return bytes
   */
  public static long mostTemporaryBytes(int multiprocessors, int mostRecords, int partitions) {
    // Not that of the longest run: one of a few records more may have half as many tiles.
    long tiles = Math.min(2L * WARPS_A_CTA * multiprocessors, MAX_TILES);
    long blocks = Math.min(mostRecords, partitions);
    long bytes =
        4L * Long.BYTES * multiprocessors
            + Integer.BYTES * (3 * blocks + 1)
            + ((Integer.BYTES * tiles) << MAX_DIGIT_BITS)
            + 2L * Long.BYTES * mostRecords;
    return bytes + 7L * ALIGNMENT;
  }

  private List<Step> steps(int multiprocessors) {
    int most = 2 * multiprocessors;
    int parseCtas = ctas(divideUp(groups(), THREADS_A_CTA), maxCtas);
    int sortCtas = ctas(divideUp(tileCount, WARPS_A_CTA), most);
    int perCta = THREADS_A_CTA * SCAN_VALUES;
    int countCtas = ctas(divideUp(tileCount << digitBits, perCta), most);
    int placeCtas = ctas(divideUp(records, perCta), most);
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
    // The search for a tile's first record takes some microseconds, so tiles are of several units.
    int moveUnits = Math.clamp(units / (most * WARPS_A_CTA), 1, 8);
    list.add(new Step("move", ctasOfTiles(units, moveUnits, most), swapped, 0, moveUnits));
    int crcUnits = Math.clamp(units / (most * WARPS_A_CTA), 1, 16);
    list.add(new Step("crc32c", ctasOfTiles(units, crcUnits, most), swapped, 0, crcUnits));
    return List.copyOf(list);
  }

  private static int ctasOfTiles(int units, int tileUnits, int most) {
    return ctas(divideUp(divideUp(units, tileUnits), WARPS_A_CTA), most);
  }

  private static int ctas(int wanted, int most) {
    return Math.clamp(wanted, 1, most);
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

  /** Places the next piece on a separate line. */
  private static long place(long[] end, long pieceBytes) {
    long start = end[0];
    end[0] += (pieceBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return start;
  }

  /** {@return bytes of the records, and of the run} */
  public long bytes() {
    return bytes;
  }

  /** {@return number of records} */
  public int records() {
    return records;
  }

  /** {@return partitions of the shuffle} */
  public int partitions() {
    return partitions;
  }

  /** {@return most blocks that the run can have} */
  public int maxBlocks() {
    return Math.min(records, partitions);
  }

  /** {@return groups of {@link #GROUP_RECORDS} records, the last of which may have fewer} */
  public int groups() {
    return divideUp(records, GROUP_RECORDS);
  }

  /**
   * {@return bytes of the list of group starts: for each group a u32, the offset of its first
   * record in staging in units of 8 bytes}
   */
  public long groupStartsBytes() {
    return (long) Integer.BYTES * groups();
  }

  /** {@return bytes of temporary memory on the GPU; 128-byte aligned, of any content} */
  public long temporaryBytes() {
    return temporary.bytes();
  }

  /** {@return passes of the sort, 0 to 3} */
  public int passes() {
    return passes;
  }

  /** {@return kernels that are launched, that of the checksums included} */
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
