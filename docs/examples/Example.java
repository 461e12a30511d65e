// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

import static org.apache.spark.sql.functions.col;

import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

public class Example {
  public static void main(String[] arguments) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    List<Row> ours = groups(spark);
    spark.conf().set("spark.symshuffle.enabled", "false");
    List<Row> sparks = groups(spark);
    System.out.println(ours.size() + " groups, as with sort shuffle: " + ours.equals(sparks));
    spark.stop();
  }

  static List<Row> groups(SparkSession spark) {
    return spark.range(1_000_000).groupBy(col("id").mod(100).as("key")).count().orderBy("key")
        .collectAsList();
  }
}
