// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

import static org.apache.spark.sql.functions.col;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

public class Stream {
  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    spark.range(100_000).write().mode("append").parquet("numbers");
    groups(spark.readStream().schema("id LONG").parquet("numbers"))
        .writeStream().format("memory").queryName("counts").outputMode("complete")
        .option("checkpointLocation", "checkpoint").trigger(Trigger.AvailableNow())
        .start().awaitTermination();
    List<Row> ours = spark.table("counts").orderBy("key").collectAsList();
    spark.conf().set("spark.symshuffle.enabled", "false");
    List<Row> sparks = groups(spark.read().parquet("numbers")).orderBy("key").collectAsList();
    System.out.println(ours.get(0) + ", as with sort shuffle: " + ours.equals(sparks));
    spark.stop();
  }

  static Dataset<Row> groups(Dataset<Row> numbers) {
    return numbers.groupBy(col("id").mod(10).as("key")).count();
  }
}
