// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.symshuffle.benchmarks.protocol.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableGeneratorTest {
  private static final double SCALE = 0.001;

  @Test
  void tablesHaveRowsTypesAndValuesOfTheSpecification(@TempDir Path folder) throws Exception {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.local.dir", folder.toString())
            .getOrCreate()) {
      List<Reply.Progress> steps = new ArrayList<>();
      Path tables = folder.resolve("tables");
      List<String> names = Suite.TPCH.tables().names();
      Map<String, Long> rows =
          new TableGenerator(spark, Suite.TPCH.tables(), SCALE, steps::add).write(names, tables);
      Suite.TPCH.tables().register(spark, names, tables);
      assertAll(
          () ->
              assertEquals(
                  Map.of(
                      "customer", 150L,
                      "orders", 1500L,
                      "lineitem", 6005L,
                      "part", 200L,
                      "partsupp", 800L,
                      "supplier", 10L,
                      "nation", 25L,
                      "region", 5L),
                  rows),
          () -> assertEquals(100, last(steps).done() * 100 / last(steps).total()),
          () -> assertEquals(LINEITEM, spark.table("lineitem").schema().toDDL()),
          // The first line of lineitem.tbl as dbgen writes it.
          () -> assertEquals(FIRST_ITEM, firstItem(spark)),
          () -> assertFalse(spark.sql(Suite.TPCH.queries().text("q1")).collectAsList().isEmpty()),
          () ->
              assertAll(
                  Suite.TPCH.queries().names().stream()
                      .map(
                          name ->
                              () ->
                                  spark
                                      .sql(Suite.TPCH.queries().text(name))
                                      .queryExecution()
                                      .analyzed())));
    }
  }

  private static final String LINEITEM =
      "l_orderkey BIGINT,l_partkey BIGINT,l_suppkey BIGINT,l_linenumber INT,"
          + "l_quantity DECIMAL(12,2),l_extendedprice DECIMAL(12,2),l_discount DECIMAL(12,2),"
          + "l_tax DECIMAL(12,2),l_returnflag STRING,l_linestatus STRING,l_shipdate DATE,"
          + "l_commitdate DATE,l_receiptdate DATE,l_shipinstruct STRING,l_shipmode STRING,"
          + "l_comment STRING";

  private static final String FIRST_ITEM = "1|1|17.00|0.04|0.02|N|O|1996-03-13|TRUCK";

  private static String firstItem(SparkSession spark) {
    Row row =
        spark
            .sql(
                "select concat_ws('|', l_orderkey, l_linenumber, l_quantity, l_discount, l_tax,"
                    + " l_returnflag, l_linestatus, l_shipdate, l_shipmode) from lineitem where"
                    + " l_orderkey = 1 and l_linenumber = 1")
            .first();
    return row.getString(0);
  }

  private static Reply.Progress last(List<Reply.Progress> steps) {
    return steps.get(steps.size() - 1);
  }
}
