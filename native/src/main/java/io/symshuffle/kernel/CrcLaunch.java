// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/** A launch that computes the checksums of a list of pieces. */
public final class CrcLaunch extends KernelLaunch {
  private final long resultsOffset;
  private final int count;

  /** In memory of this launch. */
  private MemorySegment copied = MemorySegment.NULL;

  private int[] results = {};

  CrcLaunch(
      KernelModule module,
      LaunchShape shape,
      long tableBytes,
      Tables tables,
      Function<Place, Record> argument,
      long resultsOffset,
      int count) {
    super(module, "symshuffle_crc32c", shape, tableBytes, tables, argument);
    this.resultsOffset = resultsOffset;
    this.count = count;
  }

  @Override
  void zeroResults(CudaStream stream) {
    zeroTables(stream, resultsOffset, resultBytes());
  }

  @Override
  void copyResults(CudaStream stream) {
    copied = readTables(stream, resultsOffset, resultBytes());
    super.copyResults(stream);
  }

  @Override
  public void check() {
    super.check();
    results = copied.toArray(JAVA_INT);
  }

  /**
   * Returns the results of the last launch that was waited for with {@link #await} or checked with
   * {@link #check}; also after {@link #close}.
   *
   * @return int[pieces], the CRC-32C of each piece, as {@link java.util.zip.CRC32C} gives it
   */
  public int[] results() {
    return results.clone();
  }

  private long resultBytes() {
    return (long) count * Integer.BYTES;
  }
}
