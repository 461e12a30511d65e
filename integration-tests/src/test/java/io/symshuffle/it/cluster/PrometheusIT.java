// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Prometheus with the files of the folder conf. The application is one process, so that Spark's
 * servlet has the metrics of the executor, too.
 */
@Tag("full")
class PrometheusIT {
  private static final Path CONF = Path.of("..", "conf").toAbsolutePath().normalize();
  private static final Pattern LISTENS = Pattern.compile("Listening on\" address=(\\S+)");
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void everyQueryOfTheDashboardReturnsWhatTheApplicationDid() throws Exception {
    Optional<Path> program = Browser.program("prometheus");
    assumeTrue(program.isPresent(), "prometheus is not on the PATH (Debian: apt-get install it)");
    ClusterSpec spec =
        ClusterSpec.local(2)
            .with("spark.ui.enabled", "true")
            .with("spark.ui.port", "0")
            .with("spark.metrics.conf", CONF.resolve("metrics.properties").toString())
            .with("spark.symshuffle.heap.size", "8m");
    try (SparkCluster cluster = SparkCluster.start(spec, folder.resolve("application"));
        ChildProcess prometheus = start(program.get(), cluster.context().uiWebUrl().get())) {
      String address = prometheus.awaitOutput(LISTENS, Await.LIMIT).group(1);
      List<String> queries = queries();
      Map<String, Double> values = new TreeMap<>();
      Await.until(
          "Prometheus has a value for each query, and a rate of what is written to disk",
          () -> {
            // More than the heap holds, so that both tiers are used, in each scrape's interval.
            cluster
                .session()
                .range(0, 600_000, 1, 4)
                .repartition(4)
                .selectExpr("sum(id)")
                .collect();
            queries.forEach(query -> value(address, query).ifPresent(v -> values.put(query, v)));
            return values.size() == queries.size()
                && values.get(query(queries, "pes_written_disk_bytes")) > 0;
          });
      assertAll(
          () -> assertEquals(1, values.get(query(queries, "pes_joined"))),
          () -> assertEquals(0, values.get(query(queries, "pes_lost"))),
          () -> assertEquals(8 << 20, values.get(query(queries, "pes_heap_capacity_bytes"))),
          () -> assertTrue(values.get(query(queries, "written_host_bytes")) > 0),
          () -> assertTrue(values.get(query(queries, "written_map_outputs")) > 0),
          () -> assertTrue(values.get(query(queries, "read_host_bytes")) > 0),
          () -> assertEquals(0, values.get(query(queries, "pes_read_failures"))));
    }
  }

  /** Starts Prometheus with our settings, but scrapes each second, and this application. */
  private ChildProcess start(Path program, String application) throws IOException {
    String settings =
        Files.readString(CONF.resolve("prometheus.yml"))
            .replace("driver.example.com:4040", URI.create(application).getAuthority())
            .replace("scrape_interval: 15s", "scrape_interval: 1s");
    Path file = Files.writeString(folder.resolve("prometheus.yml"), settings);
    Files.copy(CONF.resolve("prometheus-alerts.yml"), folder.resolve("prometheus-alerts.yml"));
    return ChildProcess.of(
            program.toString(),
            "--config.file=" + file,
            "--storage.tsdb.path=" + folder.resolve("prometheus"),
            "--web.listen-address=127.0.0.1:0")
        .name("prometheus")
        .log(folder.resolve("prometheus.log"))
        .start();
  }

  private static List<String> queries() throws IOException {
    List<String> queries = new ArrayList<>();
    JsonNode dashboard = JSON.readTree(CONF.resolve("grafana-dashboard.json").toFile());
    for (JsonNode panel : dashboard.get("panels")) {
      panel.path("targets").forEach(target -> queries.add(target.get("expr").asText()));
    }
    assertTrue(queries.size() > 20, queries::toString);
    return queries;
  }

  /** Returns the query that reads a metric. */
  private static String query(List<String> queries, String metric) {
    return queries.stream()
        .filter(query -> query.matches(".*\\bsymshuffle_" + metric + "(_total)?\\{.*"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no query reads " + metric));
  }

  /** Returns what Prometheus answers now, with all applications chosen, as Grafana asks then. */
  private Optional<Double> value(String address, String query) {
    String url =
        "http://%s/api/v1/query?query=%s"
            .formatted(
                address,
                URLEncoder.encode(query.replace("$application", ".*"), StandardCharsets.UTF_8));
    try {
      JsonNode answer =
          JSON.readTree(
              http.send(
                      HttpRequest.newBuilder(URI.create(url)).timeout(Await.LIMIT).build(),
                      BodyHandlers.ofString())
                  .body());
      assertEquals("success", answer.path("status").asText(), () -> query + ": " + answer);
      JsonNode value = answer.at("/data/result/0/value/1");
      return value.isMissingNode() ? Optional.empty() : Optional.of(value.asDouble());
    } catch (IOException e) {
      throw new AssertionError(url, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(url, e);
    }
  }
}
