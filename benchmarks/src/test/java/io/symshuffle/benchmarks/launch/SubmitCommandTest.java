// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SubmitCommandTest {
  private static final SparkRuntime RUNTIME =
      new SparkRuntime(Path.of("jars"), Path.of("our.jar"), Path.of("bench.jar"), List.of());

  private static List<String> line(String name, String master, Map<String, String> settings) {
    ApplicationSpec spec =
        new ApplicationSpec(
            name, new SparkMaster(master), "1g", settings, true, List.of(), Path.of("logs"));
    return new SubmitCommand(spec, RUNTIME).line(Path.of("replies"));
  }

  private static String idPattern(List<String> line) {
    String key = "spark.deploy.appIdPattern=";
    return line.stream()
        .filter(word -> word.startsWith(key))
        .map(word -> word.substring(key.length()))
        .findFirst()
        .orElse("");
  }

  @Test
  void applicationsStartedInTheSameSecondHaveDifferentIds() {
    String pattern = idPattern(line("sort nocompress", "local-cluster[2,1,2048]", Map.of()));
    assertEquals("app-20260102030405-0000-sort-nocompress", pattern.formatted("20260102030405", 0));
    assertEquals("app-%s-%04d-symshuffle", idPattern(line("symshuffle", "local[2]", Map.of())));
  }

  @Test
  void applicationsBeginWithAllExecutors() {
    List<String> line = line("sort", "local-cluster[2,3,2048]", Map.of());
    assertTrue(line.contains("spark.scheduler.minRegisteredResourcesRatio=1.0"));
    assertTrue(line.contains("spark.cores.max=6"), "Spark waits for as many cores");
  }

  @Test
  void remoteMastersKeepTheirOwnIdPattern() {
    assertEquals("", idPattern(line("sort", "spark://host:7077", Map.of())));
  }

  @Test
  void localFolderOfDriverIsBesideItsLog() {
    String local = "spark.local.dir=logs/local";
    assertTrue(line("sort", "local[2]", Map.of()).contains(local));
    assertTrue(line("sort", "spark://host:7077", Map.of()).contains(local));
    assertFalse(line("sort", "yarn", Map.of()).contains(local), "containers have their own");
  }

  @Test
  void userSettingsOverrideDefaults() {
    List<String> line = line("sort", "local[2]", Map.of("spark.local.dir", "/scratch"));
    assertEquals(1, line.stream().filter("spark.local.dir=/scratch"::equals).count());
    assertFalse(line.contains("spark.local.dir=logs/local"));
  }

  @Test
  void appliesOptionsOfTheDriverToItsJvm() {
    List<String> line =
        line(
            "sort",
            "local[2]",
            Map.of("spark.driver.extraJavaOptions", " -Xint  -Da=b -Dfolder=\"/a folder\" "));
    int main = line.indexOf("org.apache.spark.deploy.SparkSubmit");
    assertTrue(
        line.subList(0, main).containsAll(List.of("-Xint", "-Da=b", "-Dfolder=/a folder")),
        line::toString);
    assertFalse(line.contains(""));
  }
}
