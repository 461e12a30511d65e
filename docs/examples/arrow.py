# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, pandas_udf, udf

spark = SparkSession.builder.getOrCreate()


def squares(batches):
    for batch in batches:
        numbers = batch.column(0)
        yield pa.RecordBatch.from_arrays([numbers, pc.multiply(numbers, numbers)], ["number", "square"])


@udf("string", useArrow=True)
def name(number):
    return "group %d" % (number % 10)


@pandas_udf("long")
def total(values: pd.Series) -> int:
    return values.sum()


def ranks(group):
    return group.assign(rank=group["square"].rank().astype("int64"))


def highest(frames):
    for frame in frames:
        yield frame[frame["rank"] > 4000]


def shares(group, totals):
    return group.assign(share=group["square"] / totals["total"].iloc[0])


def results():
    numbers = spark.createDataFrame(pd.DataFrame({"number": range(50000)}))
    rows = numbers.mapInArrow(squares, "number long, square long").withColumn("name", name(col("number")))
    groups = rows.groupBy("name")
    totals = groups.agg(total(col("square")).alias("total"))
    ranked = groups.applyInPandas(ranks, "number long, square long, name string, rank long")
    shared = groups.cogroup(totals.groupBy("name")).applyInPandas(
        shares, "number long, square long, name string, share double")
    return {
        "a pandas UDF": totals.orderBy("name").toPandas(),
        "applyInPandas": ranked.orderBy("number").toPandas(),
        "mapInPandas": ranked.mapInPandas(highest, ranked.schema).orderBy("number").toPandas(),
        "cogroup": shared.orderBy("number").toPandas(),
    }


ours = results()
spark.conf.set("spark.symshuffle.enabled", "false")
sparks = results()
for source, rows in ours.items():
    print(len(rows), "rows of", source + ", as with sort shuffle:", rows.equals(sparks[source]))
spark.stop()
