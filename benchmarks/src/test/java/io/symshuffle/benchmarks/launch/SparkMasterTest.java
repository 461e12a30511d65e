// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.CliException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SparkMasterTest {
  @Test
  void acceptsEveryKindOfMaster() {
    assertAll(
        Stream.of("local", "local[2]", "local[*]", "local-cluster[2,1,2048]")
            .map(url -> () -> assertTrue(new SparkMaster(url).isLocal(), url)));
    assertAll(
        Stream.of("spark://host:7077", "yarn", "k8s://https://host:443")
            .map(url -> () -> assertFalse(new SparkMaster(url).isLocal(), url)));
  }

  @Test
  void executorsOfALocalClusterGetAllMemoryOfTheirWorker() {
    assertAll(
        () -> assertEquals("2048m", new SparkMaster("local-cluster[2, 1, 2048]").executorMemory()),
        () -> assertEquals("", new SparkMaster("yarn").executorMemory()));
  }

  @Test
  void refusesEverythingElseAsWrongUsage() {
    assertAll(
        Stream.of(
                "",
                "localhost",
                "local-cluster[2]",
                "local-cluster[0,1,2048]",
                "local-cluster[2,0,2048]",
                "http://host")
            .map(
                url ->
                    () ->
                        assertEquals(
                            2,
                            assertThrows(CliException.class, () -> new SparkMaster(url))
                                .exitStatus(),
                            url)));
  }

  @Test
  void refusesTooLittleMemoryBeforeAnythingStarts() {
    assertEquals(
        "'local-cluster[2,1,2]' gives each executor 2 MiB, but Spark needs at least 450.",
        assertThrows(CliException.class, () -> new SparkMaster("local-cluster[2,1,2]"))
            .getMessage());
    assertEquals("450m", new SparkMaster("local-cluster[2,1,450]").executorMemory());
  }
}
