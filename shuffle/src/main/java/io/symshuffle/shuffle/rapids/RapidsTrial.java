// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.symshuffle.kernel.Kernels;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.table.EngineBuffer;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import io.symshuffle.shuffle.table.TableConcat;
import io.symshuffle.shuffle.table.TableCopies;
import io.symshuffle.shuffle.table.TablePart;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.unsafe.Platform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tests all steps of a table shuffle with a small table: cuDF packs it, SymShuffle copies its
 * bytes, cuDF unpacks and concatenates it, and the result is compared.
 */
final class RapidsTrial {
  private static final Logger LOG = LoggerFactory.getLogger(RapidsTrial.class);

  private static final long[] NUMBERS = {7, -1, 0, Long.MAX_VALUE, 1L << 40};
  private static final String[] WORDS = {
    "seven", null, "", "a word of more than 16 bytes", "\u00fc"
  };

  private RapidsTrial() {}

  /**
   * Runs the test on the calling thread's GPU.
   *
   * @throws RapidsMismatchException if a step fails, or the result differs from the input
   */
  static void run(CudfApi cudf, RapidsEngine engine, Optional<RowHashes> rowHashes)
      throws RapidsMismatchException {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < NUMBERS.length; i++) {
      rows.add(NUMBERS[i] + " " + WORDS[i]);
    }
    List<String> found;
    try {
      int ours = engine.context().device().ordinal();
      int theirs = cudf.device();
      if (ours != theirs) {
        throw new RapidsMismatchException(
            "it uses GPU %d, but the device heap is on GPU %d: assign one GPU to each executor with spark.executor.resource.gpu.amount=1"
                .formatted(theirs, ours),
            null);
      }
      // A single table is only unpacked; several are also concatenated.
      found = roundTrip(cudf, engine, 1);
      found.addAll(roundTrip(cudf, engine, 2));
    } catch (RuntimeException | IOException e) {
      throw new RapidsMismatchException("a packed table could not be copied: " + e, e);
    }
    List<String> expected =
        Collections.nCopies(1 + 2, rows).stream().flatMap(List::stream).toList();
    if (!found.equals(expected)) {
      throw new RapidsMismatchException(
          "a packed table with %s was read back as %s".formatted(expected, found), null);
    }
    if (rowHashes.isPresent()) {
      compareRowHashes(cudf, engine, rowHashes.get());
    }
    kernels().ifPresent(kernels -> concatenateWithKernel(cudf, engine, kernels, rows));
  }

  private static Optional<Kernels> kernels() {
    return ShuffleRuntime.current().flatMap(ShuffleRuntime::device).map(DeviceTier::kernels);
  }

  /** Lets SymShuffle's kernel concatenate tables if it does so with the small table. */
  private static void concatenateWithKernel(
      CudfApi cudf, RapidsEngine engine, Kernels kernels, List<String> rows) {
    int times = 3;
    List<String> found = List.of();
    String reason = "the result differs";
    AutoCloseable table = cudf.tableOf(NUMBERS, WORDS);
    AutoCloseable contiguous = cudf.pack(table);
    try (PackedTable packed = engine.packed(contiguous);
        TableCopies copies = new TableCopies(engine, Optional.of(kernels), Optional.empty());
        Arena arena = Arena.ofConfined()) {
      MemorySegment metadata = arena.allocate(packed.metadata().byteSize(), Long.BYTES);
      metadata.copyFrom(packed.metadata());
      TablePart part = new TablePart(metadata, packed.data());
      Optional<TableConcat> plan = PackedConcat.of(Collections.nCopies(times, part), arena);
      if (plan.isPresent()) {
        found = concatenated(cudf, engine, copies, plan.get());
      } else {
        reason = "this cuDF describes packed tables in an unknown format";
      }
    } catch (IOException | RuntimeException e) {
      reason = "the kernel failed: " + e.getMessage();
    } finally {
      RapidsEngine.close(contiguous);
      RapidsEngine.close(table);
    }
    if (found.equals(Collections.nCopies(times, rows).stream().flatMap(List::stream).toList())) {
      engine.concatenateWithKernel();
    } else {
      LOG.warn(
          "cuDF concatenates tables, which takes longer than SymShuffle's kernel if there are many"
              + " small ones: {}",
          reason);
    }
  }

  private static List<String> concatenated(
      CudfApi cudf, RapidsEngine engine, TableCopies copies, TableConcat plan) throws IOException {
    try (EngineBuffer buffer = engine.allocate(plan.bytes())) {
      copies.concat(plan, buffer.range());
      copies.await();
      TablePart part = new TablePart(plan.metadata(), buffer.range());
      AutoCloseable whole = engine.table(List.of(part), Optional.of(buffer));
      try {
        return cudf.rowsOf(whole);
      } finally {
        RapidsEngine.close(whole);
      }
    }
  }

  /**
   * Compares the hashes of rows with those of Spark's function {@code xxhash64}. RAPIDS' must be
   * the same; SymShuffle's kernel is used only if its are.
   */
  private static void compareRowHashes(CudfApi cudf, RapidsEngine engine, RowHashes rowHashes)
      throws RapidsMismatchException {
    long[] seeds = {42, -7};
    long expected = 0;
    for (long seed : seeds) {
      for (int i = 0; i < NUMBERS.length; i++) {
        expected += sparkHash(NUMBERS[i], WORDS[i], seed);
      }
    }
    AutoCloseable table = cudf.tableOf(NUMBERS, WORDS);
    AutoCloseable contiguous = cudf.pack(table);
    try (PackedTable packed = engine.packed(contiguous)) {
      List<SeededTable> tables =
          Arrays.stream(seeds).mapToObj(seed -> new SeededTable(packed, seed)).toList();
      long found = rowHashes.sum(tables);
      if (found != expected) {
        throw new RapidsMismatchException(difference(found, expected), null);
      }
      Optional<Kernels> kernels = kernels();
      if (kernels.isPresent()) {
        useKernel(engine, kernels.get(), tables, expected);
      }
    } catch (RuntimeException e) {
      throw new RapidsMismatchException("rows could not be hashed: " + e, e);
    } finally {
      RapidsEngine.close(contiguous);
      RapidsEngine.close(table);
    }
  }

  private static void useKernel(
      RapidsEngine engine, Kernels kernels, List<SeededTable> tables, long expected) {
    Optional<String> reason;
    try (TableCopies copies = new TableCopies(engine, Optional.of(kernels), Optional.empty())) {
      reason = reasonAgainstKernel(copies, tables, expected);
    }
    if (reason.isEmpty()) {
      engine.hashWithKernel();
    } else {
      LOG.warn(
          "Row checksums use RAPIDS' functions, which are slower than SymShuffle's kernel: {}",
          reason.get());
    }
  }

  /**
   * Hashes rows with SymShuffle's kernel.
   *
   * @param expected the sum of the hashes of all rows
   * @return why the kernel cannot be used for row checksums; empty if it can
   */
  static Optional<String> reasonAgainstKernel(
      TableCopies copies, List<SeededTable> tables, long expected) {
    try {
      Optional<LongSupplier> sum = PackedColumns.of(tables).flatMap(copies::rowHashes);
      if (sum.isEmpty()) {
        return Optional.of("this cuDF describes packed tables in an unknown format");
      }
      copies.await();
      long found = sum.get().getAsLong();
      return found == expected ? Optional.empty() : Optional.of(difference(found, expected));
    } catch (IOException | RuntimeException e) {
      return Optional.of("the kernel failed: " + e.getMessage());
    }
  }

  private static String difference(long found, long expected) {
    return "the sum of the hashes of rows is %d, but should be %d".formatted(found, expected);
  }

  private static long sparkHash(long number, String word, long seed) {
    long hash = XXH64.hashLong(number, seed);
    if (word == null) {
      return hash;
    }
    byte[] bytes = word.getBytes(UTF_8);
    return XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, hash);
  }

  private static List<String> roundTrip(CudfApi cudf, RapidsEngine engine, int parts)
      throws IOException {
    AutoCloseable table = cudf.tableOf(NUMBERS, WORDS);
    AutoCloseable contiguous = cudf.pack(table);
    try (PackedTable packed = engine.packed(contiguous);
        TableCopies copies = new TableCopies(engine, Optional.empty(), Optional.empty());
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
      engine.checkMetadata(PackedMetadata.problem(metadata, packed.rows(), 2, buffer.range()));
      AutoCloseable whole = engine.table(Collections.nCopies(parts, part), Optional.of(buffer));
      try {
        return cudf.rowsOf(whole);
      } finally {
        RapidsEngine.close(whole);
      }
    } finally {
      RapidsEngine.close(contiguous);
      RapidsEngine.close(table);
    }
  }
}
