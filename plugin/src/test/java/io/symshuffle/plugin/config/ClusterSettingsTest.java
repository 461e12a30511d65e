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
    "yarn, 402653184, false",
    "local[2], 9223372036854775807, false",
    "spark://host:7077, 9223372036854775807, false",
    "k8s://https://host:443, 9223372036854775807, true"
  })
  void knowsWhatContainersOfAClusterMean(String master, long peerBytes, boolean own) {
    SparkConf conf = new SparkConf(false).setMaster(master);

    assertEquals(peerBytes, new ClusterSettings(conf).maxMappedPeerBytes());
    assertEquals(own, new ClusterSettings(conf).hasOwnContainers());
  }
}
