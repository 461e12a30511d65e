// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.plugin.metrics.DriverMetrics;
import io.symshuffle.plugin.metrics.ExecutorMetrics;
import io.symshuffle.plugin.metrics.Metric;
import java.io.File;
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
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The files in conf for Prometheus and Grafana fit the metrics. */
class MonitoringFilesTest {
  private static final Path CONF = Path.of("..", "conf").toAbsolutePath().normalize();
  private static final Pattern EXPORTED = Pattern.compile("symshuffle_[a-z_]+");

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
  void exporterRulesExportEveryMetricOnce() throws IOException {
    JsonNode rules = yaml("jmx-exporter.yml").get("rules");
    for (Metric<?> metric : metrics()) {
      String bean =
          "metrics<name=app-20260101000000-0000.7.plugin.io.symshuffle.SymShufflePlugin."
              + metric.name()
              + (isCounter(metric) ? ", type=counters><>Count" : ", type=gauges><>Value");
      Map<String, String> exported = new TreeMap<>();
      for (JsonNode rule : rules) {
        Matcher match = Pattern.compile(rule.get("pattern").asText()).matcher(bean);
        if (match.lookingAt()) {
          String name = rule.get("name").asText().replace("$3", match.group(3));
          exported.put(name.replace('.', '_'), rule.get("type").asText());
          assertEquals("7", match.group(2));
        }
      }
      assertEquals(Map.of(exportedName(metric), isCounter(metric) ? "COUNTER" : "GAUGE"), exported);
    }
  }

  @Test
  void prometheusReadsApplicationAndExecutorFromTheServletsNames() throws IOException {
    JsonNode rules = yaml("prometheus.yml").at("/scrape_configs/0/metric_relabel_configs");
    for (Metric<?> metric : metrics()) {
      String prefix =
          "metrics_application_1_0002_driver_plugin_io_symshuffle_SymShufflePlugin_"
              + metric.name().replace('.', '_')
              + "_";
      for (String suffix : isCounter(metric) ? List.of("Count") : List.of("Number", "Value")) {
        Map<String, String> labels = new TreeMap<>();
        labels.put("__name__", prefix + suffix);
        labels.put("type", "gauges");
        relabel(rules, labels);
        Map<String, String> expected =
            Map.of(
                "__name__",
                exportedName(metric),
                "application",
                "application_1_0002",
                "executor",
                "driver");
        assertEquals(suffix.equals("Number") ? Map.of() : expected, labels);
      }
    }
  }

  @Test
  void prometheusGivesExecutorsTheApplicationNamesOfTheServlet() throws IOException {
    JsonNode rules = yaml("prometheus.yml").at("/scrape_configs/1/metric_relabel_configs");
    for (String id :
        List.of("app-20260101000000-0000", "local-1767225600000", "application_1_0002")) {
      Map<String, String> labels = new TreeMap<>(Map.of("application", id));
      relabel(rules, labels);
      assertEquals(Map.of("application", id.replaceAll("[^a-zA-Z0-9]", "_")), labels);
    }
  }

  @Test
  void prometheusLeavesOtherMetricsAsTheyAre() throws IOException {
    Map<String, String> labels =
        new TreeMap<>(Map.of("__name__", "metrics_app_driver_jvm_heap_used_Value", "type", "x"));
    Map<String, String> before = Map.copyOf(labels);
    relabel(yaml("prometheus.yml").at("/scrape_configs/0/metric_relabel_configs"), labels);
    assertEquals(before, labels);
  }

  @Test
  void alertsUseOnlyMetricsOfTheDriver() throws IOException {
    Set<String> driver = new TreeSet<>();
    DriverMetrics.all().forEach(metric -> driver.add(exportedName(metric)));
    JsonNode rules = yaml("prometheus-alerts.yml").at("/groups/0/rules");
    assertTrue(rules.size() >= 4);
    for (JsonNode rule : rules) {
      Set<String> unknown = names(rule.get("expr").asText());
      assertFalse(unknown.isEmpty());
      unknown.removeAll(driver);
      assertAll(
          () -> assertEquals(Set.of(), unknown),
          () -> assertFalse(rule.at("/labels/severity").asText().isEmpty()),
          () -> assertFalse(rule.at("/annotations/summary").asText().isEmpty()),
          () -> assertFalse(rule.at("/annotations/description").asText().isEmpty()));
    }
  }

  @Test
  void alertsFireAndStaySilent(@TempDir Path folder) throws Exception {
    assumeTrue(
        isOnPath("promtool"), "promtool is not on the PATH (Debian: apt-get install prometheus)");
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder("promtool", "test", "rules", "src/test/prometheus/alerts-test.yml")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), "promtool has not ended after 60 s");
      assertEquals(0, process.exitValue(), Files.readString(output));
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void operationsPageExplainsEachAlert() throws IOException {
    String page = Files.readString(CONF.resolveSibling("docs").resolve("operations.md"));
    for (JsonNode rule : yaml("prometheus-alerts.yml").at("/groups/0/rules")) {
      String alert = rule.get("alert").asText();
      assertTrue(page.contains("`" + alert + "`"), alert);
    }
  }

  @Test
  void dashboardUsesExistingMetricsAndRatesOfCounters() throws IOException {
    String dashboard = Files.readString(CONF.resolve("grafana-dashboard.json"));
    JsonNode panels = new ObjectMapper().readTree(dashboard).get("panels");
    assertTrue(panels.size() >= 10);
    Set<String> exported = new TreeSet<>();
    metrics().forEach(metric -> exported.add(exportedName(metric)));
    Set<String> asked = names(dashboard);
    Set<String> unknown = new TreeSet<>(asked);
    unknown.removeAll(exported);
    assertAll(
        () -> assertEquals(Set.of(), unknown),
        () -> assertTrue(asked.size() > exported.size() / 2, asked.toString()));
    for (JsonNode panel : panels) {
      for (JsonNode target : panel.path("targets")) {
        String expression = target.get("expr").asText();
        if (panel.get("type").asText().equals("timeseries")) {
          assertEquals(expression.contains("_total{"), expression.contains("rate("), expression);
        }
      }
    }
  }

  /** Applies the actions that the file uses, as Prometheus does: a regex must match all of it. */
  private static void relabel(JsonNode rules, Map<String, String> labels) {
    for (JsonNode rule : rules) {
      String source = labels.getOrDefault(rule.at("/source_labels/0").asText(), "");
      Matcher match = Pattern.compile(rule.get("regex").asText()).matcher(source);
      if (!match.matches()) {
        continue;
      }
      String action = rule.path("action").asText("replace");
      if (action.equals("drop")) {
        labels.clear();
        return;
      }
      assertEquals("replace", action);
      String value = match.replaceFirst(rule.get("replacement").asText().replace("{1}", "1"));
      if (value.isEmpty()) {
        labels.remove(rule.get("target_label").asText());
      } else {
        labels.put(rule.get("target_label").asText(), value);
      }
    }
  }

  private static List<Metric<?>> metrics() {
    return Stream.<Metric<?>>concat(ExecutorMetrics.all().stream(), DriverMetrics.all().stream())
        .toList();
  }

  private static boolean isCounter(Metric<?> metric) {
    return metric.kind() == Metric.Kind.COUNTER;
  }

  private static String exportedName(Metric<?> metric) {
    return "symshuffle_" + metric.name().replace('.', '_') + (isCounter(metric) ? "_total" : "");
  }

  private static boolean isOnPath(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static Set<String> names(String text) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = EXPORTED.matcher(text);
    while (matcher.find()) {
      names.add(matcher.group());
    }
    return names;
  }

  private static JsonNode yaml(String file) throws IOException {
    try (Reader reader = Files.newBufferedReader(CONF.resolve(file))) {
      return new ObjectMapper().valueToTree(new Yaml().<Object>load(reader));
    }
  }
}
