// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Random queries whose answers do not depend on the order of events: exact numbers, sums of hashes,
 * and sorted rows where there is a limit. All of them shuffle, most of them twice.
 */
final class ChaosQueries {
  private static final int[] PARTITIONS = {1, 2, 7, 31, 64};

  private final Random random;

  ChaosQueries(Random random) {
    this.random = random;
  }

  List<String> pool(int count) {
    return IntStream.range(0, count).mapToObj(this::query).toList();
  }

  /**
   * Returns random queries with operators, types and functions that the RAPIDS Accelerator has,
   * too.
   *
   * @param factor multiplies the 2,000 to 20,000 rows of a table
   */
  List<String> poolOnGpus(int count, int factor) {
    return IntStream.range(0, count).mapToObj(kind -> queryOnGpus(kind, factor)).toList();
  }

  private String queryOnGpus(int kind, int factor) {
    String one = rowsOnGpus(factor);
    return switch (kind % 8) {
      case 0 ->
          "SELECT count(*), sum(hash(k, c, s, m, l)) FROM (SELECT k, count(*) c, sum(v) s, max(t) m, min(id) l FROM %s GROUP BY k)"
              .formatted(one);
      case 1 ->
          "SELECT /*+ SHUFFLE_HASH(b) */ count(*), sum(hash(a.t, b.t)), sum(a.v - b.v) FROM %s a JOIN %s b ON a.id = b.id + %d"
              .formatted(one, rowsOnGpus(factor), random.nextInt(50));
      case 2 ->
          "SELECT count(*), sum(hash(id, k, v, t)) FROM (SELECT /*+ REPARTITION(%d, k) */ * FROM %s)"
              .formatted(partitions(), one);
      case 3 ->
          "SELECT sum(hash(id, t)), sum(id) FROM (SELECT /*+ REPARTITION(%d) */ * FROM %s)"
              .formatted(partitions(), one);
      case 4 ->
          "SELECT count(*), sum(hash(k, t)) FROM (SELECT DISTINCT k, t FROM %s)".formatted(one);
      case 5 ->
          "SELECT sum(hash(id, r)), max(r) FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY id) r FROM %s)"
              .formatted(one);
      case 6 ->
          "SELECT count(*), sum(a.id), sum(b.n) FROM %s a LEFT JOIN (SELECT k, count(*) n FROM %s GROUP BY k) b ON a.k = b.k"
              .formatted(one, rowsOnGpus(factor));
      default ->
          // The script, on CPUs, ends before its thread has passed it all rows of the exchange.
          "SELECT count(*), count_if(hash(id, k, t) = h) FROM (SELECT TRANSFORM(id, k, t, hash(id, k, t)) USING 'cat' AS (id bigint, k bigint, t string, h int) FROM (SELECT /*+ REPARTITION(%d, k) */ * FROM %s) LIMIT %d)"
              .formatted(partitions(), one, 1 + random.nextInt(300));
    };
  }

  /** As {@link #rows}, but with more rows and without skew. */
  private String rowsOnGpus(int factor) {
    int rows = factor * (2_000 + random.nextInt(random.nextInt(3) == 0 ? 18_000 : 4_000));
    int keys = 1 + random.nextInt(rows);
    return "(SELECT id, id * %d %% %d k, id * %d v, if(id %% 11 = 3, null, repeat(concat('r', cast(id as string)), 1 + cast(id %% %d as int))) t FROM range(0, %d, 1, %d))"
        .formatted(
            1 + random.nextInt(97),
            keys,
            random.nextInt(1000) - 500,
            1 + random.nextInt(12),
            rows,
            4 + random.nextInt(9));
  }

  private String query(int kind) {
    return switch (kind % 11) {
      case 0 ->
          "SELECT k, count(*) c, sum(v) s, max(t) m, min(id) l FROM %s GROUP BY k"
              .formatted(rows());
      case 1 ->
          "SELECT /*+ MERGE(b) */ count(*), sum(hash(a.t, b.t)), sum(a.v - b.v) FROM %s a JOIN %s b ON a.id = b.k + %d"
              .formatted(rows(), rows(), random.nextInt(50));
      case 2 ->
          "SELECT bit_xor(xxhash64(id, k, v, t)), count(*) FROM (SELECT /*+ REPARTITION(%d, k) */ * FROM %s)"
              .formatted(partitions(), rows());
      case 3 ->
          "SELECT bit_xor(xxhash64(id, t)), sum(id) FROM (SELECT /*+ REPARTITION(%d) */ * FROM %s)"
              .formatted(partitions(), rows());
      case 4 ->
          "SELECT count(*), sum(hash(k, t)) FROM (SELECT DISTINCT k, t FROM %s)".formatted(rows());
      case 5 ->
          "SELECT id, k, t FROM %s ORDER BY k DESC, t, id LIMIT %d"
              .formatted(rows(), 1 + random.nextInt(300));
      case 6 ->
          "SELECT sum(hash(id, r)), max(r) FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY id) r FROM %s)"
              .formatted(rows());
      case 7 ->
          "SELECT /*+ SHUFFLE_HASH(b) */ count(*), sum(a.id), sum(b.n) FROM %s a LEFT JOIN (SELECT k, count(*) n FROM %s GROUP BY k) b ON a.k = b.k"
              .formatted(rows(), rows());
      case 8 ->
          "SELECT k %% 5 g, sum(size(all)), sum(hash(all)) FROM (SELECT k, sort_array(collect_list(struct(id, t))) all FROM %s GROUP BY k) GROUP BY k %% 5"
              .formatted(rows());
      case 9 ->
          // The thread that passes rows to the script outlives the task if there is a limit.
          "SELECT count(*), count_if(hash(id, k, t) = h) FROM (SELECT TRANSFORM(id, k, t, hash(id, k, t)) USING 'cat' AS (id bigint, k bigint, t string, h int) FROM (SELECT /*+ REPARTITION(%d, k) */ * FROM %s) LIMIT %d)"
              .formatted(partitions(), rows(), 1 + random.nextInt(300));
      default ->
          "SELECT count(*), sum(k) FROM (SELECT k FROM %s UNION ALL SELECT k + 1 FROM %s) GROUP BY k HAVING count(*) > %d"
              .formatted(rows(), rows(), random.nextInt(20));
    };
  }

  /** A table with columns id, k (few or many values, or skewed), v and t (a text or null). */
  private String rows() {
    // Up to a few megabytes: each run may get a fault, so a job must not have thousands of runs.
    boolean large = random.nextInt(8) == 0;
    int rows = 200 + random.nextInt(large ? 1_000 : random.nextInt(4) == 0 ? 20_000 : 4_000);
    int longest = large ? 3_000 : 60;
    int keys = 1 + random.nextInt(rows);
    String key =
        random.nextInt(4) == 0
            ? "if(id %% 10 < 9, 7, id %% %d)".formatted(keys)
            : "id * %d %% %d".formatted(1 + random.nextInt(97), keys);
    return "(SELECT id, %s k, id * %d v, if(id %% 11 = 3, null, repeat(concat(chr(65 + id %% 26), id), 1 + int(id %% %d))) t FROM range(0, %d, 1, %d))"
        .formatted(
            key, random.nextInt(1000) - 500, Math.max(1, longest / 6), rows, 1 + random.nextInt(6));
  }

  private int partitions() {
    return PARTITIONS[random.nextInt(PARTITIONS.length)];
  }
}
