// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TpcdsTablesTest {
  private static final double SCALE = 0.01;

  private final TpcdsTables tables = new TpcdsTables();

  @Test
  void columnsHaveTheTypesOfTheSpecification() {
    assertAll(
        () -> assertEquals(23, tables.schema("store_sales").size()),
        () -> assertEquals("bigint", type("store_sales", "ss_ticket_number")),
        () -> assertEquals("int", type("store_sales", "ss_quantity")),
        () -> assertEquals("decimal(7,2)", type("store_sales", "ss_net_profit")),
        () -> assertEquals("decimal(5,2)", type("store", "s_gmt_offset")),
        () -> assertEquals("date", type("date_dim", "d_date")),
        () -> assertEquals("string", type("date_dim", "d_day_name")),
        () -> assertEquals("string", type("item", "i_item_id")),
        () -> assertEquals("bigint", type("customer", "c_last_review_date")));
  }

  @Test
  void rowsHaveValuesOfTheColumnTypes() {
    List<InternalRow> dates = rows("date_dim", SCALE);
    List<InternalRow> stores = rows("store", SCALE);
    List<InternalRow> returns = rows("store_returns", SCALE);
    assertAll(
        () -> assertEquals(73_049, dates.size()),
        () -> assertEquals(2_415_022L, dates.getFirst().getLong(0)),
        () -> assertEquals(LocalDate.of(1900, 1, 2).toEpochDay(), dates.getFirst().getInt(2)),
        () ->
            assertEquals(Decimal.apply("-5.00"), value("store", stores.getFirst(), "s_gmt_offset")),
        // Each return belongs to a sale and has a fee.
        () -> assertTrue(returns.size() > 1000),
        () ->
            assertTrue(
                returns.stream()
                    .allMatch(row -> value("store_returns", row, "sr_ticket_number") != null)),
        () ->
            assertTrue(
                returns.stream()
                    .anyMatch(row -> value("store_returns", row, "sr_reason_sk") == null)));
  }

  @Test
  void decimalsAreExact() {
    DecimalType type = DataTypes.createDecimalType(7, 2);
    assertAll(
        () -> assertEquals("12.30", TpcdsSchema.decimal(type, "12.3").toString()),
        () -> assertEquals("-0.05", TpcdsSchema.decimal(type, "-0.05").toString()),
        () -> assertEquals("7.00", TpcdsSchema.decimal(type, "7").toString()),
        () ->
            assertThrows(IllegalArgumentException.class, () -> TpcdsSchema.decimal(type, "1.234")),
        () -> assertThrows(ArithmeticException.class, () -> TpcdsSchema.decimal(type, "123456")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"catalog_sales", "web_sales", "web_returns", "inventory"})
  void partsTogetherAreTheTable(String table) {
    TableParts.assertTogetherAreTheTable(tables, table);
  }

  @Test
  void tablesAreDividedByTheTimeThatTheyTake() {
    assertAll(
        () -> assertEquals(18, tables.parts("web_returns", 9.9)),
        () -> assertEquals(3, tables.parts("web_returns", 10)),
        () -> assertEquals(2, tables.parts("customer_demographics", 9.9)),
        () -> assertEquals(4_000_000, tables.rowsPerFile(10)),
        () -> assertEquals(1, tables.parts("item", 100_000)),
        () -> assertEquals(1, tables.parts("web_sales", SCALE)));
  }

  /** These read all tables together; the integration test runs all queries. */
  @Test
  void queriesFindTheirColumns(@TempDir Path folder) throws Exception {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.local.dir", folder.toString())
            .getOrCreate()) {
      for (String table : tables.names()) {
        spark.createDataFrame(List.of(), tables.schema(table)).createOrReplaceTempView(table);
      }
      assertAll(
          Stream.of("q22", "q30", "q62", "q64", "q80", "q85", "q91", "q96")
              .map(
                  name ->
                      () ->
                          spark.sql(Suite.TPCDS.queries().text(name)).queryExecution().analyzed()));
    }
  }

  private String type(String table, String column) {
    StructType schema = tables.schema(table);
    return schema.apply(column).dataType().simpleString();
  }

  private Object value(String table, InternalRow row, String column) {
    StructType schema = tables.schema(table);
    int field = schema.fieldIndex(column);
    return row.get(field, schema.fields()[field].dataType());
  }

  private List<InternalRow> rows(String table, double scale) {
    List<InternalRow> rows = new ArrayList<>();
    tables.rows(table, scale, 1, 1).forEachRemaining(rows::add);
    return rows;
  }
}
