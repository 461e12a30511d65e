// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.SerializedTable;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.table.EngineBuffer;
import io.symshuffle.shuffle.table.SplitBatch;
import io.symshuffle.shuffle.table.TableCopies;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.Platform;

/**
 * Tests all steps of a table shuffle with a small batch: RAPIDS splits it, SymShuffle copies and
 * checks its tables, RAPIDS assembles them, and the result is compared.
 */
final class RapidsTrial {
  private static final long[] NUMBERS = {7, -1, 0, Long.MAX_VALUE, 1L << 40};
  private static final String[] WORDS = {
    "seven", null, "", "a word of more than 16 bytes", "\u00fc"
  };

  /** The columns are serialized in this order. */
  private static final DataType[] TYPES = {DataTypes.LongType, DataTypes.StringType};

  private static final int FIRST_PARTITION = 3;

  /** The second of three partitions is empty. */
  private static final int[] ENDS = {2, 2, 5};

  private RapidsTrial() {}

  /**
   * Runs the test on the calling thread's GPU.
   *
   * @throws RapidsMismatchException if a step fails, or the result differs from the input
   */
  static void run(RapidsApi rapids, RapidsEngine engine) throws RapidsMismatchException {
    CudfApi cudf = rapids.cudf();
    int ours = engine.context().device().ordinal();
    int theirs = cudf.device();
    if (ours != theirs) {
      throw new RapidsMismatchException(
          "it uses GPU %d, but the device heap is on GPU %d: assign one GPU to each executor with spark.executor.resource.gpu.amount=1"
              .formatted(theirs, ours),
          null);
    }
    try (Closing closing = new Closing()) {
      Object table = closing.add(cudf.tableOf(NUMBERS, WORDS));
      List<Object> columns = List.of(cudf.column(table, 0), cudf.column(table, 1));
      boolean hashRows = rapids.rowHashes().isPresent();
      SplitBatch batch =
          rapids.serializer().serialize(columns, TYPES, FIRST_PARTITION, ENDS, hashRows);
      closing.add(batch);
      if (hashRows && batch.rowHash() != expectedHash()) {
        throw new RapidsMismatchException(
            "the sum of the hashes of rows is %d, but should be %d"
                .formatted(batch.rowHash(), expectedHash()),
            null);
      }
      List<Integer> partitions = batch.tables().stream().map(SplitBatch.Table::partition).toList();
      List<String> found = roundTrip(cudf, engine, batch);
      if (!partitions.equals(List.of(FIRST_PARTITION, FIRST_PARTITION + 2))
          || !found.equals(expectedRows())) {
        throw new RapidsMismatchException(
            "a table with %s was read back from partitions %s as %s"
                .formatted(expectedRows(), partitions, found),
            null);
      }
    } catch (RuntimeException | IOException e) {
      throw new RapidsMismatchException("cannot copy a table: " + e, e);
    }
  }

  private static List<String> expectedRows() {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < NUMBERS.length; i++) {
      rows.add(NUMBERS[i] + " " + WORDS[i]);
    }
    return rows;
  }

  /** The sum of Spark's hashes. */
  private static long expectedHash() {
    long sum = 0;
    for (int i = 0; i < NUMBERS.length; i++) {
      int partition = FIRST_PARTITION + (i < ENDS[0] ? 0 : 2);
      long hash = XXH64.hashLong(NUMBERS[i], XXH64.hashInt(partition, RowHashes.SEED));
      if (WORDS[i] != null) {
        byte[] bytes = WORDS[i].getBytes(UTF_8);
        hash = XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, hash);
      }
      sum += hash;
    }
    return sum;
  }

  private static List<String> roundTrip(CudfApi cudf, RapidsEngine engine, SplitBatch batch)
      throws IOException, RapidsMismatchException {
    List<SplitBatch.Table> tables = batch.tables();
    long dataBytes = tables.stream().mapToLong(each -> TableCopies.aligned(each.bytes())).sum();
    long offsetsBytes = (tables.size() + 1L) * Long.BYTES;
    try (TableCopies copies =
            new TableCopies(
                engine,
                ShuffleRuntime.current().flatMap(ShuffleRuntime::device).map(DeviceTier::kernels),
                Optional.empty());
        EngineBuffer buffer = engine.allocate(dataBytes + offsetsBytes);
        Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(dataBytes + offsetsBytes, TableCopies.ALIGNMENT);
      MemorySegment offsets = all.asSlice(dataBytes);
      List<SerializedTable> copied = new ArrayList<>();
      long at = 0;
      for (int i = 0; i < tables.size(); i++) {
        SplitBatch.Table table = tables.get(i);
        DeviceRange from = batch.data().slice(table.offset(), table.bytes());
        copies.toHost(all.asSlice(at, table.bytes()), from);
        copied.add(new SerializedTable(buffer.range().slice(at, table.bytes()), table.rows()));
        at += TableCopies.aligned(table.bytes());
        offsets.setAtIndex(ValueLayout.JAVA_LONG, i + 1, at);
      }
      copies.await();
      copies.toDevice(buffer.range(), all);
      IntFunction<Optional<String>> problems = copies.problems(copied, engine.schema(TYPES));
      copies.await();
      for (int i = 0; i < copied.size(); i++) {
        Optional<String> problem = problems.apply(i);
        if (problem.isPresent()) {
          throw new RapidsMismatchException(
              "it serializes tables in an unknown format: " + problem.get(), null);
        }
      }
      AutoCloseable whole = engine.table(buffer, dataBytes, tables.size(), TYPES);
      try {
        return cudf.rowsOf(whole);
      } finally {
        RapidsEngine.close(whole);
      }
    }
  }
}
