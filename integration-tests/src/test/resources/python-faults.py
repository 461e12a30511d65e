# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
"""Queries with Python functions, during which Python workers and executors are killed.

The first argument is a folder of all executors, for marks of what has been killed. The program prints a line for each
query: whether its rows are right, and whether something was killed.
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


def killer(victim, fault):
    """Returns a function that returns its argument, and kills the victim when it first sees the number 42."""

    def same(number):
        if number == 42 and is_first(fault):
            os.kill(os.getpid() if victim == "worker" else executor(), signal.SIGKILL)
        return number

    return same


def report(fault, rows):
    expected = {key: sum(range(key, ROWS, GROUPS)) for key in range(GROUPS)}
    killed = os.path.exists(os.path.join(marks, fault))
    print("%s: rows are right: %s, killed: %s" % (fault, rows == expected, killed))


spark = SparkSession.builder.getOrCreate()
for victim in ["worker", "executor"]:
    numbers = spark.range(0, ROWS, 1, 4)

    fault = victim + " in the map stage"
    number = udf(killer(victim, fault), "long")(col("id"))
    sums = numbers.select(number.alias("number")).groupBy((col("number") % GROUPS).alias("key")).agg(functions.sum("number"))
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
spark.stop()
