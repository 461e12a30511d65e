// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.spark.SparkConf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterSettingsTest {
  @ParameterizedTest
  @CsvSource({
    "yarn, 402653184",
    "local[2], 9223372036854775807",
    "spark://host:7077, 9223372036854775807",
    "k8s://https://host:443, 9223372036854775807"
  })
  void limitsMappedPagesOfPeersOnYarnOnly(String master, long bytes) {
    SparkConf conf = new SparkConf(false).setMaster(master);

    assertEquals(bytes, new ClusterSettings(conf).maxMappedPeerBytes());
  }
}
