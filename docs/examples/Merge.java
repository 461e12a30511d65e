// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

public class Merge {
  public static void main(String[] arguments) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    List<Row> ours = merged(spark, "ours", arguments[0], arguments[1]);
    spark.conf().set("spark.symshuffle.enabled", "false");
    List<Row> sparks = merged(spark, "sparks", arguments[0], arguments[1]);
    System.out.println(ours.get(0) + ", as with sort shuffle: " + ours.equals(sparks));
    spark.stop();
  }

  static List<Row> merged(SparkSession spark, String table, String format, String compaction) {
    spark.sql("CREATE TABLE " + table + " USING " + format
        + " AS SELECT id, id % 7 AS amount FROM range(200000)");
    spark.sql("MERGE INTO " + table + " USING (SELECT id, 10 AS amount FROM range(100000, 300000)) changes"
        + " ON " + table + ".id = changes.id"
        + " WHEN MATCHED AND changes.id % 2 = 0 THEN DELETE"
        + " WHEN MATCHED THEN UPDATE SET amount = " + table + ".amount + changes.amount"
        + " WHEN NOT MATCHED THEN INSERT *");
    spark.sql(compaction.replace("TABLE", table));
    return spark.sql("SELECT count(*), sum(amount), bit_xor(xxhash64(id, amount)) FROM " + table)
        .collectAsList();
  }
}
