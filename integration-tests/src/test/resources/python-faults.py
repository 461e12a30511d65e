# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
"""Queries with Python functions, during which Python workers and executors are killed.

The first argument is a folder of all executors, for marks of what has been killed. With a second argument "arrow" the
functions get their rows through Arrow, which needs pandas and pyarrow. The program prints a line for each query:
whether its rows are right, and whether something was killed.
"""

import os
import signal
import sys
from operator import add

from pyspark.sql import SparkSession, functions
from pyspark.sql.functions import col, udf

ROWS = 100000
GROUPS = 100
EXECUTOR = b"CoarseGrainedExecutorBackend"

marks = sys.argv[1]


def is_first(fault):
    """Returns True to one task of all executors."""
    try:
        os.close(os.open(os.path.join(marks, fault), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def executor():
    """Returns the process of the executor that started this Python worker."""
    pid = os.getpid()
    while True:
        with open("/proc/%d/stat" % pid) as file:
            pid = int(file.read().rsplit(")", 1)[1].split()[1])
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            if EXECUTOR in file.read():
                return pid


def killer(victim, fault, fatal=42):
    """Returns a function that returns its argument, and kills the victim when it first sees the fatal number."""

    def same(number):
        if number == fatal and is_first(fault):
            os.kill(os.getpid() if victim == "worker" else executor(), signal.SIGKILL)
        return number

    return same


def report(fault, rows):
    expected = {key: sum(range(key, ROWS, GROUPS)) for key in range(GROUPS)}
    killed = os.path.exists(os.path.join(marks, fault))
    print("%s: rows are right: %s, killed: %s" % (fault, rows == expected, killed))


def rows_and_rdds(numbers, victim):
    fault = victim + " in the map stage"
    number = udf(killer(victim, fault), "long")(col("id"))
    numbered = numbers.select(number.alias("number"))
    sums = numbered.groupBy((col("number") % GROUPS).alias("key")).agg(functions.sum("number"))
    report(fault, {row[0]: row[1] for row in sums.collect()})

    fault = victim + " in the reduce stage"
    key = udf(killer(victim, fault), "long")(col("key"))
    sums = numbers.groupBy((col("id") % GROUPS).alias("key")).agg(functions.sum("id").alias("sum")).select(key, "sum")
    report(fault, {row[0]: row[1] for row in sums.collect()})

    fault = victim + " in the reduce stage of an RDD"
    same = killer(victim, fault)
    pairs = spark.sparkContext.parallelize(range(ROWS), 4).map(lambda n: (n % GROUPS, n))
    sums = pairs.reduceByKey(add).map(lambda pair: (same(pair[0]), pair[1]))
    report(fault, sums.collectAsMap())


def arrow(numbers, victim):
    import pandas as pd

    keys = numbers.withColumn("key", col("id") % GROUPS)

    # Its task has already sent batches of 10,000 rows to the JVM.
    fault = victim + " in mapInArrow before an exchange"
    same = killer(victim, fault, ROWS // 4 - 1)

    def batches(source):
        for batch in source:
            for number in batch.column(0).to_pylist():
                same(number)
            yield batch

    sums = keys.mapInArrow(batches, keys.schema).groupBy("key").agg(functions.sum("id").alias("sum"))
    report(fault, {row[0]: row[1] for row in sums.collect()})

    fault = victim + " in applyInPandas after an exchange"
    same_key = killer(victim, fault)

    def sum_group(group):
        return pd.DataFrame({"key": [same_key(group["key"].iloc[0])], "sum": [group["id"].sum()]})

    sums = keys.groupBy("key").applyInPandas(sum_group, "key long, sum long")
    report(fault, {row[0]: row[1] for row in sums.collect()})

    fault = victim + " in a cogroup after two exchanges"
    same_of_both = killer(victim, fault)

    def sum_both(low, high):
        key = same_of_both(low["key"].iloc[0])
        return pd.DataFrame({"key": [key], "sum": [low["id"].sum() + high["id"].sum()]})

    low = keys.where(col("id") < ROWS // 2).groupBy("key")
    high = keys.where(col("id") >= ROWS // 2).groupBy("key")
    sums = low.cogroup(high).applyInPandas(sum_both, "key long, sum long")
    report(fault, {row[0]: row[1] for row in sums.collect()})


queries = arrow if sys.argv[2:] == ["arrow"] else rows_and_rdds
spark = SparkSession.builder.getOrCreate()
for victim in ["worker", "executor"]:
    queries(spark.range(0, ROWS, 1, 4), victim)
spark.stop()
