// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Queries with each kind of exchange in Spark, over the views {@code facts} (eight of ten rows have
 * key 1), {@code labels} and {@code nested}.
 */
final class TableCases {
  private static final Map<String, String> NO_BROADCAST =
      Map.of(
          "spark.sql.autoBroadcastJoinThreshold", "-1",
          "spark.sql.adaptive.autoBroadcastJoinThreshold", "-1");

  private TableCases() {}

  /**
   * One query.
   *
   * @param cached whether to cache the result and read it from the cache
   */
  record Case(String name, Map<String, String> settings, String sql, boolean cached) {
    Dataset<Row> dataset(SparkSession session) {
      Dataset<Row> rows = session.sql(sql);
      return cached ? rows.cache().where("k % 3 = 1") : rows;
    }
  }

  static void createViews(SparkSession session) {
    view(
        session,
        "facts",
        """
        SELECT id, if(id % 10 < 8, 1, id % 1000) k, concat('text ', id) text
        FROM range(0, 200000, 1, 12)\
        """);
    view(session, "labels", "SELECT id k, concat('label ', id) label FROM range(0, 1000, 1, 3)");
    view(
        session,
        "nested",
        """
        SELECT id, id % 1000 k,
          named_struct('a', id, 'b', if(id % 3 = 0, NULL, string(id))) s,
          array(id, NULL, id + 1) a,
          cast(id AS decimal(30, 4)) d,
          date_add(date'2020-01-01', int(id % 1000)) day,
          timestamp_seconds(id) ts,
          if(id % 7 = 0, NULL, repeat('ü', int(id % 50))) t
        FROM range(0, 50000, 1, 8)\
        """);
  }

  private static void view(SparkSession session, String name, String sql) {
    session.sql(sql).createOrReplaceTempView(name);
  }

  static List<Case> all() {
    return List.of(
        of("hash", "SELECT /*+ REPARTITION(13, k) */ * FROM nested"),
        of("groupBy", "SELECT k, count(*), sum(id), max(text) FROM facts GROUP BY k"),
        of(
            "manyGroups",
            "SELECT id % 100000 g, count(*), min(text) FROM facts GROUP BY id % 100000"),
        of("sort", "SELECT text, id FROM facts WHERE id % 20 = 0 ORDER BY text DESC, id"),
        of("range", "SELECT /*+ REPARTITION_BY_RANGE(9, k) */ * FROM nested"),
        of("roundRobin", "SELECT /*+ REPARTITION(7) */ id, text FROM facts WHERE id % 4 = 0"),
        of("single", "SELECT id, sum(id) OVER (ORDER BY id) FROM facts WHERE id % 50 = 0"),
        of(
            "broadcast",
            """
            SELECT l.label, count(*), max(f.text) FROM facts f JOIN labels l ON f.k = l.k
            GROUP BY l.label\
            """),
        of(
            "join",
            NO_BROADCAST,
            """
            SELECT f.id, f.text, g.id other FROM facts f JOIN facts g ON f.id = g.id + 7
            WHERE f.id % 10 = 3\
            """),
        of(
            "outerJoin",
            NO_BROADCAST,
            """
            SELECT f.id, l.label FROM (SELECT * FROM facts WHERE id % 10 > 7) f
            FULL OUTER JOIN labels l ON f.k = l.k\
            """),
        of(
            "coalesced",
            Map.of("spark.sql.shuffle.partitions", "200"),
            "SELECT k, count(*), max(text) FROM facts GROUP BY k"),
        of(
            "skewed",
            with(
                NO_BROADCAST,
                Map.of(
                    "spark.sql.shuffle.partitions", "5",
                    "spark.sql.adaptive.advisoryPartitionSizeInBytes", "64k",
                    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "100k",
                    "spark.sql.adaptive.skewJoin.skewedPartitionFactor", "2")),
            "SELECT f.id, f.text, l.label FROM facts f JOIN labels l ON f.k = l.k"),
        of(
            "rebalanced",
            Map.of("spark.sql.adaptive.advisoryPartitionSizeInBytes", "64k"),
            "SELECT /*+ REBALANCE(k) */ * FROM facts"),
        of(
            "local",
            Map.of(
                "spark.sql.autoBroadcastJoinThreshold", "-1",
                "spark.sql.adaptive.autoBroadcastJoinThreshold", "1m"),
            """
            SELECT f.id, l.label FROM facts f
              JOIN (SELECT k, max(label) label FROM labels GROUP BY k) l ON f.k = l.k\
            """),
        of(
            "reused",
            """
            WITH totals AS (SELECT k, count(*) n FROM facts GROUP BY k)
            SELECT k, n FROM totals UNION ALL SELECT k + 1, n FROM totals\
            """),
        new Case(
            "cached", Map.of(), "SELECT k, count(*) n, max(text) t FROM facts GROUP BY k", true),
        of("noColumns", "SELECT count(*) FROM (SELECT /*+ REPARTITION(5) */ * FROM facts)"),
        of("noRows", "SELECT k, count(*) FROM facts WHERE text = 'none' GROUP BY k"),
        of(
            "longStrings",
            """
            SELECT id, length(t), md5(t) FROM
              (SELECT /*+ REPARTITION(3, id) */ id, repeat(string(id), 200000) t
               FROM range(0, 200, 1, 4))\
            """),
        of(
            "thousandPartitions",
            "SELECT sum(hash(id, text)), count(*) FROM (SELECT /*+ REPARTITION(1000, id) */ * FROM"
                + " facts)"),
        of(
            "manyColumns",
            "SELECT /*+ REPARTITION(11, id) */ id, id % 3 = 0 b, tinyint(id % 100) i8, "
                + manyColumns()
                + " FROM range(0, 20000, 1, 9)"),
        of(
            "outOfMemory",
            with(NO_BROADCAST, Map.of("spark.rapids.sql.test.injectRetryOOM", "true")),
            """
            SELECT l.label, count(*), max(f.text) FROM facts f JOIN labels l ON f.k = l.k
            GROUP BY l.label\
            """),
        of(
            "spilling",
            Map.of("spark.sql.shuffle.partitions", "4", "spark.rapids.sql.batchSizeBytes", "128m"),
            """
            SELECT count(*), sum(place * (id % 1000)) FROM
              (SELECT id, row_number() OVER (PARTITION BY id % 4 ORDER BY text) place
               FROM (SELECT id, concat('a text of which there are many ', id) text
                     FROM range(0, 24000000, 1, 16)))\
            """));
  }

  /** Numbers and strings with nulls, so many that a kernel concatenates them instead of cuDF. */
  private static String manyColumns() {
    return IntStream.range(0, 20)
        .mapToObj(
            i ->
                "if(id %% %d = 0, NULL, id * %d) n%d, if(id %% %d = 0, NULL, concat('text ', id * %d)) t%d"
                    .formatted(i + 3, i, i, i + 2, i, i))
        .collect(Collectors.joining(", "));
  }

  private static Case of(String name, String sql) {
    return of(name, Map.of(), sql);
  }

  private static Case of(String name, Map<String, String> settings, String sql) {
    return new Case(name, settings, sql, false);
  }

  private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new TreeMap<>(some);
    all.putAll(more);
    return all;
  }
}
