# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0

from operator import add

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, udf

spark = SparkSession.builder.getOrCreate()


@udf("string")
def name(number):
    return "group %d" % (number % 10)


def groups():
    return spark.range(100000).groupBy(name(col("id")).alias("name")).count().orderBy("name").collect()


numbers = spark.sparkContext.parallelize(range(100000), 4)
sums = numbers.map(lambda n: (n % 10, n)).reduceByKey(add).collectAsMap()
ours = groups()
spark.conf.set("spark.symshuffle.enabled", "false")
print(len(ours), "groups, as with sort shuffle:", ours == groups())
print("sums of the RDD as expected:", sums == {n: sum(range(n, 100000, 10)) for n in range(10)})
spark.stop()
