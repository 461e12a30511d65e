// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A shuffle-bound job, and the same job without its exchange. Rows are computed from a range, so no
 * file is read. The result is one row of exact sums, which is the same on every manager. Each
 * column is part of a sum, since others would be pruned before the exchange.
 */
public enum ShuffleCase {
  /** Rows of two longs, a double and a short string, partitioned by a key. */
  REPARTITION(1, input -> Input.sums(input.by("k", input.rows()))),
  /** Partitioned by ranges of a key, whose bounds a separate job samples. */
  RANGE(1, input -> Input.sums(input.byRanges("k", input.rows()))),
  /** One partition has 13 % of the rows, as that of a null key may have. */
  HOT(
      1,
      input -> {
        String[] columns = {"id", "if(id % 100 < 13, -1, k) as k", "v", "str"};
        return Input.sums(input.by("k", input.rows().selectExpr(columns)));
      }),
  /** Many small rows. */
  NARROW(
      2,
      input ->
          input
              .by("k", input.rows().select("id", "k"))
              .selectExpr("sum(k)", "sum(id)", "count(*)")),
  /** As in Spark's benchmark of its in-process shuffle, like the next two. */
  KEYS(1, input -> input.by("k", input.keys()).selectExpr("sum(k)", "count(*)")),
  /** The bounds of the ranges are sampled by a separate job. */
  KEYRANGE(1, input -> input.byRanges("k", input.keys()).selectExpr("sum(k)", "count(*)")),
  /** The sides differ, since Spark would reuse the exchange of equal ones. */
  KEYJOIN(
      0.5,
      input -> {
        Dataset<Row> left = input.rows().selectExpr("id + 1 as k");
        Dataset<Row> right = input.rows().selectExpr("-1 - id as k2");
        Dataset<Row> both =
            input.exchange()
                ? left.join(right, expr("k = -k2")).select("k")
                : left.sortWithinPartitions("k").unionAll(right.sortWithinPartitions("k2"));
        return both.selectExpr("sum(k * 1D)", "count(*)");
      }),
  /** Rows of about 750 bytes: copying dominates sorting. */
  WIDE(0.1, input -> ofPairsOfColumns(input, 25)),
  /** As many bytes as {@link #WIDE512}, in an eighth of the columns. */
  WIDE64(0.08, input -> ofPairsOfColumns(input, 32)),
  /** Rows of about 3,800 bytes: each table of a GPU has hundreds of buffers. */
  WIDE250(0.02, input -> ofPairsOfColumns(input, 125)),
  /** As many bytes as {@link #WIDE64}: whether the time grows with columns times partitions. */
  WIDE512(0.01, input -> ofPairsOfColumns(input, 256)),
  /** Nested values, nulls, and types of various widths. */
  NESTED(
      0.4,
      input -> {
        Dataset<Row> rows =
            input
                .rows()
                .selectExpr(
                    "k",
                    "if(id % 7 = 0, null, named_struct('n', id, 't', str)) as pair",
                    "if(id % 5 = 0, null, array(id, k, id + k)) as longs",
                    "array(named_struct('n', id, 't', if(id % 3 = 0, null, str))) as pairs",
                    "cast(id as decimal(25, 3)) as amount",
                    "timestamp_seconds(id) as moment",
                    "if(id % 11 = 0, null, id % 2 = 0) as even");
        return input
            .by("k", rows)
            .selectExpr(
                "sum(pair.n)",
                "sum(length(pair.t))",
                "sum(longs[2])",
                "count(longs)",
                "sum(pairs[0].n)",
                "sum(length(pairs[0].t))",
                "sum(amount)",
                "max(moment)",
                "count(if(even, 1, null))",
                "count(even)",
                "count(*)");
      }),
  /** A group per row: partial aggregation before the exchange saves nothing. */
  GROUPBY(
      0.5,
      // Spark knows that the range is partitioned by id: grouping by id needs no exchange.
      input ->
          input
              .rows()
              .selectExpr(input.exchange() ? "id * 3 as g" : "id as g", "v", "str")
              .groupBy("g")
              .agg(expr("sum(v) as sv"), expr("max(str) as ms"))
              .selectExpr("sum(sv)", "sum(length(ms))", "sum(g)", "count(*)")),
  /** 1,000 rows from 200 map tasks: the fixed cost of a shuffle. */
  TINY(0, input -> Input.sums(input.by("k", input.rows(200)))) {
    @Override
    public long rows(long rows) {
      return 1000;
    }
  },
  /** Both sides shuffled, sorted and merged; without the exchange both are sorted and read. */
  JOIN(
      0.5,
      input -> {
        Dataset<Row> left = input.rows().selectExpr("id * 3 as g", "v");
        Dataset<Row> right = input.rows().selectExpr("id * 3 as g2", "str");
        Dataset<Row> both =
            input.exchange()
                ? left.join(right, expr("g = g2")).selectExpr("v", "length(str) * 1D as l")
                : left.sortWithinPartitions("g")
                    .selectExpr("v", "0D as l")
                    .unionAll(
                        right
                            .sortWithinPartitions("g2")
                            .selectExpr("0D as v", "length(str) * 1D as l"));
        return both.selectExpr("sum(v)", "sum(l)", "count(*)");
      }),
  /** A global sort; without the exchange, each input partition is sorted separately. */
  SORT(
      0.5,
      // With sums other than of doubles, the optimizer would drop the sort.
      input ->
          (input.exchange()
                  ? input.rows().orderBy("k", "id")
                  : input.rows().sortWithinPartitions("k", "id"))
              .selectExpr(
                  "sum(v)", "sum(length(str) * 1D)", "sum(k * 1D)", "sum(id * 1D)", "count(*)"));

  /** The parameters of a job. */
  record Input(SparkSession spark, long count, int maps, int partitions, boolean exchange) {
    Dataset<Row> rows() {
      return rows(Math.max(8, 4 * spark.sparkContext().defaultParallelism()));
    }

    /** Returns the rows in the number of map tasks that was asked for, or in the usual one. */
    Dataset<Row> rows(int usual) {
      return spark
          .range(0, count, 1, maps > 0 ? maps : usual)
          .selectExpr(
              "id",
              "(id * 7919) % 1000003 as k",
              "cast(id as double) as v",
              "concat('s', cast(id % 100000 as string)) as str");
    }

    /** Returns a column of 1,000 keys. */
    Dataset<Row> keys() {
      return rows().selectExpr("id % 1000 as k");
    }

    /** Returns rows partitioned by a column, or as they are without the exchange. */
    Dataset<Row> by(String column, Dataset<Row> rows) {
      return exchange ? rows.repartition(partitions, col(column)) : rows;
    }

    /** The same by ranges of a column, whose bounds a separate job samples. */
    Dataset<Row> byRanges(String column, Dataset<Row> rows) {
      return exchange ? rows.repartitionByRange(partitions, col(column)) : rows;
    }

    /** Returns sums over all columns of {@link #rows()}. */
    static Dataset<Row> sums(Dataset<Row> rows) {
      return rows.selectExpr("sum(v)", "sum(length(str))", "sum(k)", "sum(id)", "count(*)");
    }
  }

  /** Rows of so many longs and as many strings. */
  private static Dataset<Row> ofPairsOfColumns(Input input, int pairs) {
    List<String> columns =
        IntStream.range(0, pairs)
            .boxed()
            .flatMap(
                i ->
                    Stream.of(
                        "id * " + (2 * i + 1) + " as l" + i,
                        "concat('column " + i + ": ', cast(id + " + i + " as string)) as s" + i))
            .toList();
    String all =
        IntStream.range(0, pairs)
            .mapToObj(i -> "l" + i + ", s" + i)
            .collect(Collectors.joining(", "));
    Dataset<Row> rows = input.rows().selectExpr(columns.toArray(String[]::new));
    return input.by("l0", rows).selectExpr("bit_xor(xxhash64(" + all + "))", "count(*)");
  }

  private final double share;

  @SuppressWarnings("ImmutableEnumChecker") // The functions have no state.
  private final Function<Input, Dataset<Row>> job;

  ShuffleCase(double share, Function<Input, Dataset<Row>> job) {
    this.share = share;
    this.job = job;
  }

  /**
   * Returns a new Dataset of one row.
   *
   * @param rows number of input rows, see {@link #rows}
   * @param maps number of map tasks of each exchange; 0 for the usual number
   * @param exchange false for the same job without the exchange
   */
  public Dataset<Row> dataset(
      SparkSession spark, long rows, int maps, int partitions, boolean exchange) {
    spark.conf().set("spark.sql.shuffle.partitions", partitions);
    return job.apply(new Input(spark, rows, maps, partitions, exchange));
  }

  /** Returns the name on the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns its number of rows if a plain repartition has {@code rows}, so that all cases take
   * similar time.
   */
  public long rows(long rows) {
    return Math.max(1, (long) (rows * share));
  }

  /** Returns all names on the command line. */
  public static List<String> labels() {
    return Arrays.stream(values()).map(ShuffleCase::label).toList();
  }

  /**
   * Returns the case with a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static ShuffleCase named(String label) {
    return Arrays.stream(values())
        .filter(candidate -> candidate.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Unknown case '" + label + "'; choose from " + String.join(", ", labels())));
  }
}
