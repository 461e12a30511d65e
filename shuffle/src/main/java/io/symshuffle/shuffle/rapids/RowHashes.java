// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import java.lang.reflect.Array;
import java.util.List;

/** Hashes rows on the GPU with RAPIDS' {@code Hash.xxhash64}, and adds the hashes. Thread-safe. */
final class RowHashes {
  /** The seed of Spark's function {@code xxhash64}. */
  static final long SEED = 42;

  private final CudfApi cudf;
  private final Class<?> view;
  private final Member xxhash64;
  private final Member fromInts;
  private final Member repeat;
  private final Member sum;
  private final Member longValue;

  RowHashes(Members members, CudfApi cudf) throws RapidsMismatchException {
    this.cudf = cudf;
    this.view = members.type("ai.rapids.cudf.ColumnView");
    Class<?> scalar = members.type("ai.rapids.cudf.Scalar");
    this.xxhash64 =
        members.staticMethod(
            members.type("com.nvidia.spark.rapids.jni.Hash"),
            "xxhash64",
            cudf.column(),
            long.class,
            view.arrayType());
    this.fromInts = members.staticMethod(cudf.column(), "fromInts", cudf.column(), int[].class);
    this.repeat = members.method(cudf.table(), "repeat", cudf.table(), view);
    this.sum = members.method(view, "sum", scalar);
    this.longValue = members.method(scalar, "getLong", long.class);
  }

  /**
   * Returns the sum of the hashes of all rows, modulo 2^64, after waiting for the GPU. Allocates 12
   * bytes of GPU memory per row.
   *
   * @param columns cuDF's columns
   */
  long sum(List<Object> columns, TableSerializer.Slices slices) {
    try (Closing closing = new Closing()) {
      Object number = closing.add(fromInts.call((Object) slices.partitions()));
      Object counts = closing.add(fromInts.call((Object) slices.rows()));
      Object partitions =
          closing.add(repeat.call(closing.add(cudf.table(List.of(number))), counts));
      Object hashed = Array.newInstance(view, 1 + columns.size());
      Array.set(hashed, 0, cudf.column(partitions, 0));
      for (int i = 0; i < columns.size(); i++) {
        Array.set(hashed, i + 1, columns.get(i));
      }
      Object hashes = closing.add(xxhash64.call(SEED, hashed));
      return (long) longValue.call(closing.add(sum.call(hashes)));
    }
  }
}
