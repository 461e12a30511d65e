// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.result.Comparison;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values of every type of Spark SQL survive a shuffle. */
public abstract class TypesSuite {
  /** Expressions for a value of each type from the column {@code id}. */
  private static final List<String> VALUES =
      List.of(
          "id % 3 = 0",
          "cast(id - 100 AS tinyint)",
          "cast(id * 100 AS smallint)",
          "cast(-id AS int)",
          "id * 1234567890123",
          "cast(id / 7 AS float)",
          "id / 7D",
          "element_at(array(double('NaN'), double('-Infinity'), -0.0D, 0.0D), int(id % 4) + 1)",
          "element_at(array(float('NaN'), float('Infinity'), -0.0F), int(id % 3) + 1)",
          "cast(id / 3 AS decimal(5,2))",
          "cast(id AS decimal(18,0))",
          "cast(id / 1000 AS decimal(18,18))",
          "cast(id * 10000000000000000 AS decimal(19,0))",
          "cast(id / 7 AS decimal(38,18))",
          "cast(concat(repeat('9', 35), id % 10) AS decimal(38,0))",
          "concat('s', id, repeat('é', int(id % 9)))",
          "''",
          "cast(id AS varchar(10))",
          "cast(concat('c', id) AS char(12))",
          "concat('Straße ', id) COLLATE UNICODE_CI_AI",
          "upper(concat('x', id)) COLLATE UTF8_LCASE",
          "unhex(hex(concat(id, repeat('z', int(id % 17)))))",
          "x''",
          "date_add(date '1969-12-30', int(id * 31))",
          "timestamp '2024-02-29 12:34:56.789012' + make_dt_interval(int(id))",
          "timestamp_ntz '1582-10-15 00:00:00' + make_dt_interval(int(id))",
          "time '12:34:56.789' + make_dt_interval(0, 0, int(id))",
          "make_ym_interval(int(id), int(id % 12))",
          "make_dt_interval(int(id), 1, 2, id % 60 + 0.000001)",
          "make_interval(int(id), 2, 3, 4, 5, 6, id % 60 + 0.5)",
          "array(id, null, -id)",
          "cast(array() AS array<int>)",
          "transform(sequence(0, int(id % 4)), i -> concat('e', i))",
          "array(array(id), null, array())",
          "array(cast(id AS decimal(38,18)), null)",
          "map('k', id, concat('k', id), null)",
          "map(int(id), array(named_struct('a', id, 'b', concat('b', id))))",
          "named_struct('x', id, 'y', named_struct('z', array(map(id, 'v')), 'n', null))",
          "named_struct('e', struct())",
          "array(make_interval(0, 0, 0, int(id)))",
          "parse_json(concat('{\"id\":', id, ',\"l\":[1,2.5,null,\"t\",true]}'))",
          "array(parse_json(string(id)))",
          "named_struct('v', parse_json('null'), 'c', 'Ä' COLLATE UNICODE_CI)",
          "null");

  @Test
  void everyTypeSurvivesHashPartitioning(ResultComparer comparer) {
    Comparison comparison = comparer.compare(s -> everyType(s).repartition(3, col("id")));
    assertEquals(200, comparison.ours().rows().size());
  }

  @Test
  @Tag("full")
  void everyTypeSurvivesRoundRobin(ResultComparer comparer) {
    comparer.compare(s -> everyType(s).repartition(5));
  }

  @Test
  @Tag("full")
  void everyTypeSurvivesRangePartitioningAndSort(ResultComparer comparer) {
    comparer.compare(s -> everyType(s).orderBy(col("id").desc()));
  }

  @Test
  void rowsOfOnlyNullsSurvive(ResultComparer comparer) {
    comparer.compare(
        s ->
            s.range(0, 100, 1, 3)
                .selectExpr(
                    "cast(null AS int) a", "cast(null AS string) b", "cast(null AS variant) c")
                .repartition(4));
  }

  @Test
  void rowsWithoutColumnsAreCounted(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            s ->
                s.range(0, 1000, 1, 3)
                    .toDF()
                    .select(new Column[0])
                    .repartition(7)
                    .groupBy()
                    .count());
    assertEquals(1000L, comparison.ours().rows().getFirst().getLong(0));
  }

  @Test
  @Tag("full")
  void countOverAPrunedRebalanceCountsAllRows(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            "SELECT count(*) FROM (SELECT /*+ REBALANCE */ id, id + 1 FROM range(0, 1000, 1, 3))");
    assertEquals(1000L, comparison.ours().rows().getFirst().getLong(0));
  }

  private static Dataset<Row> everyType(SparkSession session) {
    // The type came with Spark 4.1.
    boolean hasTime = !session.version().startsWith("4.0.");
    String columns =
        VALUES.stream()
            .filter(value -> hasTime || !value.startsWith("time "))
            .map(value -> "if(id % 5 = 4, null, " + value + ")")
            .collect(Collectors.joining(", "));
    return session.sql("SELECT id, %s FROM range(0, 200, 1, 3)".formatted(columns));
  }
}
