// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterShapeTest {
  @ParameterizedTest
  @ValueSource(strings = {"local", "local[4]", "local[*]", "local[*,3]"})
  void expectsOnePeInLocalMode(String master) {
    assertEquals(1, pesOfHost(conf(master), 64, 1));
    assertEquals(1, pesOfHost(conf(master).set("spark.executor.cores", "2"), 64, 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"local-cluster[3,2,1024] | 3", "local-cluster[ 2 , 1 , 512 ] | 2"})
  void expectsTheWorkersOfALocalCluster(String master, int pes) {
    assertEquals(pes, pesOfHost(conf(master), 64, 1));
  }

  @Test
  void expectsSeveralExecutorsPerWorkerOfALocalCluster() {
    SparkConf conf = conf("local-cluster[2,4,4096]").set("spark.executor.cores", "2");
    assertEquals(4, pesOfHost(conf, 64, 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"spark://host:7077", "yarn", "k8s://https://host"})
  void dividesTheCoresOfAHost(String master) {
    SparkConf conf = conf(master).set("spark.executor.cores", "12");
    assertEquals(6, pesOfHost(conf, 64, 1));
    assertEquals(1, pesOfHost(conf, 8, 1));
  }

  @Test
  void expectsOneExecutorPerHostWithoutKnownCores() {
    assertEquals(1, pesOfHost(conf("spark://host:7077"), 64, 1));
  }

  @Test
  void prefersGivenCoresToTheSetting() {
    ClusterShape standalone = ClusterShape.of(conf("spark://host:7077"));
    assertEquals(2, standalone.pesOfHost(64, 32, 1));
    assertEquals(1, standalone.pesOfHost(64, 64, 1));
    ClusterShape set = ClusterShape.of(conf("yarn").set("spark.executor.cores", "8"));
    assertEquals(16, set.pesOfHost(64, 4, 1));
  }

  @Test
  void countsMoreJoinedThanExpected() {
    assertEquals(3, pesOfHost(conf("spark://host:7077"), 64, 3));
    assertEquals(5, pesOfHost(conf("local-cluster[2,1,1024]"), 64, 5));
  }

  @Test
  void appliesTheLimitOfTheApplication() {
    SparkConf conf = conf("yarn").set("spark.executor.cores", "4");
    assertEquals(2, pesOfHost(conf.clone().set("spark.executor.instances", "2"), 64, 1));
    assertEquals(3, pesOfHost(conf.clone().set("spark.cores.max", "14"), 64, 1));
    SparkConf dynamic = conf.clone().set("spark.dynamicAllocation.enabled", "true");
    assertEquals(16, pesOfHost(dynamic.clone().set("spark.executor.instances", "2"), 64, 1));
    assertEquals(
        5, pesOfHost(dynamic.clone().set("spark.dynamicAllocation.maxExecutors", "5"), 64, 1));
  }

  @Test
  void ignoresNumbersThatSparkRefuses() {
    assertEquals(1, pesOfHost(conf("yarn").set("spark.executor.cores", "many"), 64, 1));
  }

  private static SparkConf conf(String master) {
    return new SparkConf(false).set("spark.master", master);
  }

  private static int pesOfHost(SparkConf conf, int hostCores, int joined) {
    return ClusterShape.of(conf).pesOfHost(hostCores, 0, joined);
  }
}
