// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A launch that computes the checksums of a list of pieces. */
public final class CrcLaunch extends KernelLaunch {
  private final long resultsOffset;
  private final int count;

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
  public void queue(CudaStream stream) {
    super.queue(stream);
  }

  @Override
  void launch(CudaStream stream) {
    // The kernel combines its results with what is there.
    zeroTables(stream, resultsOffset, resultBytes());
    super.launch(stream);
  }

  /**
   * Waits for the last launch and returns its results; it can then be queued again.
   *
   * @param stream the stream it was queued on
   * @param limit timeout
   * @return int[pieces], the CRC-32C of each piece, as {@link java.util.zip.CRC32C} gives it
   * @throws TimeoutException when it is not done in time
   */
  public int[] results(CudaStream stream, Duration limit) throws TimeoutException {
    MemorySegment results = readTables(stream, resultsOffset, resultBytes());
    await(stream, limit);
    return results.toArray(JAVA_INT);
  }

  private long resultBytes() {
    return (long) count * Integer.BYTES;
  }
}
