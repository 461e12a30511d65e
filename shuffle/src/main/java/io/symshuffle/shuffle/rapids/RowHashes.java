// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/**
 * Hashes the rows of packed tables on the GPU with RAPIDS' {@code Hash.xxhash64}, and adds the
 * hashes. Its native function is called directly, for the same reason as in {@link PackedViews}.
 * Thread-safe.
 */
final class RowHashes {
  private final PackedViews views;
  private final Class<?> view;
  private final Member xxhash64;
  private final Member newColumn;
  private final Member concatenate;
  private final Member sum;
  private final Member longValue;

  RowHashes(Members members, PackedViews views) throws RapidsMismatchException {
    this.views = views;
    this.view = members.type("ai.rapids.cudf.ColumnView");
    Class<?> column = members.type("ai.rapids.cudf.ColumnVector");
    Class<?> scalar = members.type("ai.rapids.cudf.Scalar");
    this.xxhash64 =
        members.privateStaticMethod(
            members.type("com.nvidia.spark.rapids.jni.Hash"),
            "xxhash64",
            long.class,
            long.class,
            long[].class);
    this.newColumn = members.constructor(column, long.class);
    this.concatenate = members.staticMethod(column, "concatenate", column, view.arrayType());
    this.sum = members.method(view, "sum", scalar);
    this.longValue = members.method(scalar, "getLong", long.class);
  }

  /**
   * Returns the sum of the hashes of all rows, modulo 2^64, after waiting for the GPU. Allocates 16
   * bytes of GPU memory per row.
   *
   * @param tables at least 1
   */
  long sum(List<SeededTable> tables) {
    List<AutoCloseable> hashes = new ArrayList<>(tables.size());
    try {
      tables.forEach(table -> hashes.add(hash(table.table(), table.seed())));
      if (hashes.size() == 1) {
        return sum(hashes.getFirst());
      }
      Object array = Array.newInstance(view, hashes.size());
      for (int i = 0; i < hashes.size(); i++) {
        Array.set(array, i, hashes.get(i));
      }
      AutoCloseable all = (AutoCloseable) concatenate.call(array);
      try {
        return sum(all);
      } finally {
        RapidsEngine.close(all);
      }
    } finally {
      hashes.forEach(RapidsEngine::close);
    }
  }

  private AutoCloseable hash(PackedTable table, long seed) {
    try (Arena arena = Arena.ofConfined()) {
      // cuDF reads the metadata from a direct buffer.
      long bytes = table.metadata().byteSize();
      MemorySegment metadata =
          DirectMemory.require(
              "%d bytes of metadata of a table", bytes, () -> arena.allocate(bytes, Long.BYTES));
      metadata.copyFrom(table.metadata());
      long[] columns = views.views(metadata, table.data());
      try {
        return (AutoCloseable) newColumn.call(xxhash64.call(seed, columns));
      } finally {
        views.delete(columns);
      }
    }
  }

  private long sum(AutoCloseable hashes) {
    AutoCloseable scalar = (AutoCloseable) sum.call(hashes);
    try {
      return (long) longValue.call(scalar);
    } finally {
      RapidsEngine.close(scalar);
    }
  }
}
