// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.result.Comparison;
import io.symshuffle.it.result.ExecutedPlan;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.joins.ShuffledHashJoinExec;
import org.apache.spark.sql.execution.joins.SortMergeJoinExec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries as users write them. */
public abstract class QueriesSuite {
  @BeforeEach
  void makeTables(SparkSession session) {
    session
        .sql(
            """
            SELECT id, nullif(id % 61, 7) k, concat('name ', id % 13) name, id % 7 g,
              cast(id AS decimal(20,4)) / 3 amount, timestamp_seconds(id * 1000) t
            FROM range(0, 4000, 1, 4)\
            """)
        .createOrReplaceTempView("facts");
    session
        .sql(
            """
            SELECT nullif(id, 11) k, concat('dimension ', id) label, id % 3 AS kind
            FROM range(0, 80, 1, 2)\
            """)
        .createOrReplaceTempView("dimensions");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT k, count(*), sum(amount), min(name), max(t), avg(id) FROM facts GROUP BY k",
        "SELECT DISTINCT k, g FROM facts",
        "SELECT count(DISTINCT name), count(DISTINCT k, g), count(*) FROM facts",
        "SELECT g, count(DISTINCT name), sum(DISTINCT k) FROM facts GROUP BY g",
        "SELECT k, g, sum(amount) FROM facts GROUP BY CUBE (k, g)",
        "SELECT g, array_sort(collect_list(id)), array_sort(collect_set(struct(k, name)))"
            + " FROM facts GROUP BY g",
        "SELECT name COLLATE UTF8_LCASE c, count(*) FROM facts GROUP BY 1",
        "SELECT * FROM (SELECT k, g, id FROM facts) PIVOT (sum(id) FOR g IN (0, 1, 2))",
        "SELECT id, sum(amount) OVER (PARTITION BY k ORDER BY id), rank() OVER (PARTITION BY g"
            + " ORDER BY name) FROM facts",
        "SELECT k FROM facts INTERSECT SELECT k FROM dimensions",
        "SELECT k FROM facts EXCEPT ALL SELECT k FROM dimensions",
        "SELECT name, k FROM facts ORDER BY k NULLS LAST, id DESC",
        "SELECT * FROM facts WHERE id > (SELECT avg(id) FROM facts) AND k IN (SELECT k FROM"
            + " dimensions)",
        "SELECT percentile(id, 0.5), percentile_approx(id, 0.9, 100000) FROM facts",
        "SELECT window.start, count(*) FROM facts GROUP BY window(t, '1 hour')",
        // The rows are read by a thread that writes them to the script.
        "SELECT TRANSFORM(id, name) USING 'cat' AS (id, name) FROM (SELECT /*+ REPARTITION(5, k) */"
            + " * FROM facts)",
      })
  void aggregatesWindowsAndSetsMatchSortShuffle(String query, ResultComparer comparer) {
    Comparison comparison = comparer.compare(query);
    assertFalse(comparison.ours().rows().isEmpty());
    assertFalse(comparison.ours().plan().exchanges().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"INNER", "FULL OUTER", "LEFT ANTI"})
  void sortMergeJoinsMatchSortShuffle(String kind, ResultComparer comparer) {
    Comparison comparison = comparer.compare(join("MERGE", kind));
    assertFalse(comparison.ours().plan().nodes(SortMergeJoinExec.class).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(strings = {"INNER", "FULL OUTER"})
  @Tag("full")
  void shuffledHashJoinsMatchSortShuffle(String kind, ResultComparer comparer) {
    Comparison comparison = comparer.compare(join("SHUFFLE_HASH", kind));
    assertFalse(comparison.ours().plan().nodes(ShuffledHashJoinExec.class).isEmpty());
  }

  @Test
  @Tag("full")
  void joinsOfJoinsMatchSortShuffle(ResultComparer comparer) {
    comparer.compare(
        """
        WITH totals AS (SELECT k, sum(amount) total FROM facts GROUP BY k)
        SELECT a.label, b.label, t.total, count(*)
        FROM facts f JOIN totals t ON f.k <=> t.k
          LEFT JOIN dimensions a ON f.k = a.k JOIN dimensions b ON f.g = b.k
        GROUP BY ALL\
        """);
  }

  @Test
  void scriptsThatOutliveTheirTasksDoNoHarm(SparkSession session) {
    String limited =
        """
        SELECT TRANSFORM(id, name) USING 'cat' AS (id, name)
        FROM (SELECT /*+ REPARTITION(5, k) */ * FROM facts) LIMIT 3\
        """;
    for (int round = 0; round < 5; round++) {
      List<Row> rows = session.sql(limited).collectAsList();
      assertEquals(3, rows.size());
      for (Row row : rows) {
        assertEquals("name " + Long.parseLong(row.getString(0)) % 13, row.getString(1));
      }
    }
    assertEquals(4000, session.sql("SELECT DISTINCT id FROM facts").count());
  }

  @Test
  @Tag("full")
  void limitsStopReadingEarly(ResultComparer comparer, SparkSession session) {
    Comparison comparison =
        comparer.compare(
            "SELECT count(*) FROM (SELECT /*+ REPARTITION(40) */ id FROM facts LIMIT 17)");
    assertEquals(17L, comparison.ours().rows().getFirst().getLong(0));
    List<Row> taken =
        session.sql("SELECT /*+ REPARTITION(40, id) */ id, name FROM facts").takeAsList(5);
    assertEquals(5, taken.size());
    Dataset<Row> top = session.sql("SELECT id FROM facts ORDER BY id DESC LIMIT 3");
    assertEquals(3999L, top.head().getLong(0));
    assertTrue(ExecutedPlan.of(top).exchanges().size() <= 1);
  }

  private static String join(String hint, String kind) {
    return "SELECT /*+ %s(d) */ * FROM facts f %s JOIN dimensions d ON f.k = d.k AND f.g >= d.kind"
        .formatted(hint, kind);
  }
}
