// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.plugin.config.ConfigReader;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpectedPesTest {
  @Test
  void prefersItsOwnSetting() {
    SparkConf conf =
        conf("local-cluster[2,1,1024]")
            .set("spark.symshuffle.device.pes", "5")
            .set("spark.dynamicAllocation.enabled", "true")
            .set("spark.executor.instances", "3");
    assertEquals(5, number(conf));
  }

  @Test
  void usesTheNumberOfInstances() {
    SparkConf conf =
        conf("spark://host:7077")
            .set("spark.executor.instances", "3")
            .set("spark.cores.max", "8")
            .set("spark.executor.cores", "1");
    assertEquals(3, number(conf));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "local-cluster[2,1,1024] | 0 | 2",
        "local-cluster[ 3 , 2 , 512 ] | 0 | 3",
        "local-cluster[2,4,1024] | 2 | 4",
        "local-cluster[2,4,1024] | 4 | 2",
        "local-cluster[2,4,1024] | 3 | 2"
      })
  void usesTheExecutorsOfALocalCluster(String master, String cores, int pes) {
    assertEquals(pes, number(conf(master).set("spark.executor.cores", cores)));
  }

  @ParameterizedTest
  @CsvSource({"8, 2, 4", "9, 2, 4", "1, 2, 1"})
  void dividesAllCoresByThoseOfAnExecutor(String inAll, String each, int pes) {
    assertEquals(
        pes,
        number(
            conf("spark://host:7077")
                .set("spark.cores.max", inAll)
                .set("spark.executor.cores", each)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "local[4]", "local[*]", "local[*,3]"})
  void expectsOneInLocalMode(String master) {
    assertEquals(1, number(conf(master)));
    assertEquals(
        1,
        number(
            conf(master)
                .set("spark.symshuffle.device.pes", "4")
                .set("spark.executor.instances", "3")));
  }

  @Test
  void namesTheSettingToUseWhenUnknown() {
    assertUnknown(
        conf("spark://host:7077"),
        "the number of executors with GPUs is unknown (none of"
            + " spark.symshuffle.device.pes, spark.executor.instances and spark.cores.max with"
            + " spark.executor.cores is set): set spark.symshuffle.device.pes");
    assertUnknown(
        conf("yarn")
            .set("spark.executor.instances", "2")
            .set("spark.dynamicAllocation.enabled", "true"),
        "the number of executors with GPUs is unknown (with"
            + " spark.dynamicAllocation.enabled their number varies): set"
            + " spark.symshuffle.device.pes");
    assertTrue(of(conf("yarn").set("spark.executor.instances", "many")).problem().isPresent());
  }

  private static void assertUnknown(SparkConf conf, String problem) {
    assertEquals(problem, of(conf).problem().orElseThrow());
  }

  private static int number(SparkConf conf) {
    return of(conf).number().orElseThrow();
  }

  private static ExpectedPes of(SparkConf conf) {
    return ExpectedPes.of(conf, ConfigReader.read(conf).device());
  }

  private static SparkConf conf(String master) {
    return new SparkConf(false).set("spark.master", master);
  }
}
