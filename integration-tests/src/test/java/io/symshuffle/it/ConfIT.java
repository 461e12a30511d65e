// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.metrics.DriverMetrics;
import io.symshuffle.plugin.metrics.ExecutorMetrics;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/**
 * All files in conf are valid, and sessions start with those settings that do not need a cluster.
 */
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
  void settingsAreValidAndExplained(Path file) throws IOException {
    Map<String, String> settings = SparkDefaults.read(file);
    ConfigReader.read(settings);
    assertTrue(settings.get("spark.plugins").contains("io.symshuffle.SymShufflePlugin"));
    boolean explained = false;
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("#")) {
        explained = true;
      } else if (line.isBlank()) {
        explained = false;
      } else {
        // A comment explains all settings up to the next blank line.
        assertTrue(explained, file + ": " + line);
      }
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

  @Test
  void podTemplateMountsSharedMemory() throws IOException {
    JsonNode pod;
    try (Reader reader = Files.newBufferedReader(CONF.resolve("kubernetes-executor-pod.yaml"))) {
      pod = new ObjectMapper().valueToTree(new Yaml().<Object>load(reader));
    }
    JsonNode mount = pod.at("/spec/containers/0/volumeMounts/0");
    JsonNode volume = pod.at("/spec/volumes/0");
    Map<String, String> settings =
        SparkDefaults.read(CONF.resolve("spark-defaults-kubernetes.conf"));
    assertAll(
        () -> assertEquals("Pod", pod.get("kind").asText()),
        () -> assertEquals("/dev/shm", mount.get("mountPath").asText()),
        () -> assertEquals(volume.get("name"), mount.get("name")),
        () -> assertEquals("Memory", volume.at("/emptyDir/medium").asText()),
        () -> assertEquals("17Gi", volume.at("/emptyDir/sizeLimit").asText()),
        () -> assertEquals("16g", settings.get("spark.symshuffle.heap.size")));
  }

  @Test
  void metricsFileNamesSparkClasses() throws Exception {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(CONF.resolve("metrics.properties"))) {
      properties.load(reader);
    }
    assertFalse(properties.isEmpty());
    for (String key : properties.stringPropertyNames()) {
      if (key.endsWith(".class")) {
        assertEquals(
            properties.getProperty(key), Class.forName(properties.getProperty(key)).getName());
      }
    }
  }

  @Test
  void exporterRuleMatchesEveryMetric() throws IOException {
    JsonNode rule;
    try (Reader reader = Files.newBufferedReader(CONF.resolve("jmx-exporter.yml"))) {
      rule = new ObjectMapper().valueToTree(new Yaml().<Object>load(reader)).at("/rules/0");
    }
    Pattern pattern = Pattern.compile(rule.get("pattern").asText());
    for (String metric : metrics()) {
      Matcher match =
          pattern.matcher(
              "metrics<name=app-20260101000000-0000.7.plugin.io.symshuffle.SymShufflePlugin."
                  + metric
                  + ", type=gauges><>Value");
      assertTrue(match.lookingAt(), metric);
      assertEquals(metric, match.group(3));
      assertEquals("7", match.group(2));
    }
  }

  @Test
  void dashboardUsesExistingMetrics() throws IOException {
    String dashboard = Files.readString(CONF.resolve("grafana-dashboard.json"));
    assertTrue(new ObjectMapper().readTree(dashboard).get("panels").size() >= 10);
    Set<String> exported =
        metrics().stream()
            .map(name -> "symshuffle_" + name.replace('.', '_'))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> asked = new TreeSet<>();
    Matcher names = Pattern.compile("symshuffle_[a-z_]+").matcher(dashboard);
    while (names.find()) {
      asked.add(names.group());
    }
    Set<String> unknown = new TreeSet<>(asked);
    unknown.removeAll(exported);
    assertAll(
        () -> assertEquals(Set.of(), unknown),
        () -> assertTrue(asked.size() > exported.size() / 2, asked.toString()));
  }

  private static Set<String> metrics() {
    Map<String, Boolean> names = new TreeMap<>();
    ExecutorMetrics.all().forEach(metric -> names.put(metric.name(), true));
    DriverMetrics.all().forEach(metric -> names.put(metric.name(), true));
    return names.keySet();
  }
}
