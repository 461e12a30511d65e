// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.SparkCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sessions start with those settings of the files in conf that do not need a cluster. */
@Tag("full")
class ConfIT {
  private static final Path CONF = Path.of("..", "conf").toAbsolutePath().normalize();

  /** Settings that need the cluster of the file. */
  private static final Pattern OF_THE_CLUSTER =
      Pattern.compile(
          "spark\\.(master|submit\\..*|jars|yarn\\..*|kubernetes\\..*|executor\\..*|executorEnv\\..*"
              + "|driver\\..*|task\\.resource\\..*|cores\\.max|dynamicAllocation\\..*|rapids\\..*)");

  @TempDir private Path folder;

  static List<Path> settingsFiles() throws IOException {
    try (Stream<Path> files = Files.list(CONF)) {
      return files.filter(file -> file.toString().endsWith(".conf")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("settingsFiles")
  void sessionStartsWithTheSettings(Path file) {
    ClusterSpec spec = ClusterSpec.local(1);
    for (Map.Entry<String, String> setting : SparkDefaults.read(file).entrySet()) {
      if (!OF_THE_CLUSTER.matcher(setting.getKey()).matches()
          && !setting.getKey().equals("spark.plugins")) {
        spec = spec.with(setting.getKey(), setting.getValue());
      }
    }
    String name = String.valueOf(file.getFileName());
    try (SparkCluster cluster = SparkCluster.start(spec, folder.resolve(name))) {
      long rows =
          cluster
              .session()
              .range(0, 1000, 1, 2)
              .repartition(3, functions.col("id"))
              .filter("id >= 10")
              .count();
      assertEquals(990, rows);
    }
  }
}
