// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.shuffle.table.EngineBuffer;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.TableCopies;
import io.symshuffle.shuffle.table.TablePart;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Sends a small table through all that a shuffle does with one: packed by cuDF, its bytes copied
 * with our calls, unpacked and concatenated by cuDF, read back.
 */
final class RapidsSelfTest {
  private static final long[] NUMBERS = {7, -1, 0, Long.MAX_VALUE, 1L << 40};

  private RapidsSelfTest() {}

  /**
   * Runs it on the calling thread's GPU.
   *
   * @throws RapidsMismatchException if something else comes out than went in
   */
  static void run(CudfApi cudf, RapidsEngine engine) throws RapidsMismatchException {
    long[] found;
    try {
      int ours = engine.context().device().ordinal();
      int theirs = cudf.device();
      if (ours != theirs) {
        throw new RapidsMismatchException(
            "it works on GPU %d and the device heap lies on GPU %d: give each executor one GPU by spark.executor.resource.gpu.amount=1"
                .formatted(theirs, ours),
            null);
      }
      found = throughPackedForm(cudf, engine);
    } catch (RuntimeException | IOException e) {
      throw new RapidsMismatchException("a packed table could not be copied: " + e, e);
    }
    long[] expected = Arrays.copyOf(NUMBERS, 2 * NUMBERS.length);
    System.arraycopy(NUMBERS, 0, expected, NUMBERS.length, NUMBERS.length);
    if (!Arrays.equals(found, expected)) {
      throw new RapidsMismatchException(
          "of a packed table with %s came %s back"
              .formatted(Arrays.toString(expected), Arrays.toString(found)),
          null);
    }
  }

  private static long[] throughPackedForm(CudfApi cudf, RapidsEngine engine) throws IOException {
    AutoCloseable table = cudf.tableOf(NUMBERS);
    AutoCloseable contiguous = cudf.pack(table);
    try (PackedTable packed = engine.packed(contiguous);
        TableCopies copies = new TableCopies(engine, Optional.empty());
        EngineBuffer buffer = engine.allocate(packed.data().bytes());
        Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(packed.data().bytes(), Long.BYTES);
      copies.toHost(bytes, packed.data());
      copies.await();
      copies.toDevice(buffer.range(), bytes);
      copies.await();
      MemorySegment metadata = arena.allocate(packed.metadata().byteSize(), Long.BYTES);
      metadata.copyFrom(packed.metadata());
      TablePart part = new TablePart(metadata, buffer.range());
      AutoCloseable whole = engine.table(List.of(part, part), Optional.of(buffer));
      try {
        return cudf.numbersOf(whole);
      } finally {
        RapidsEngine.close(whole);
      }
    } finally {
      RapidsEngine.close(contiguous);
      RapidsEngine.close(table);
    }
  }
}
