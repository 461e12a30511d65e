// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.curve;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.Mistakes;
import io.symshuffle.benchmarks.launch.TestCommandLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CurveCommandTest {
  @TempDir private Path folder;
  private final StringWriter printed = new StringWriter();

  @Test
  void sumsAreOverJobsThatRanWithAllManagersOnAllNumbersOfGpus() throws IOException {
    report("tpch-1.json", 1, true, result("q1", "[2, 4, 3]", "[1, 1, 1]"), failed("q9", "[5]"));
    report("tpch-2.json", 2, true, result("q1", "[2]", "[0.5]"), result("q9", "[5]", "[2]"));
    assertEquals(1, curve(), "a query failed");
    JsonNode curve = json().at("/curves/0");
    assertAll(
        printed.toString(),
        () -> assertEquals("TPC-H at scale 1, one application at a time", text(curve, "/title")),
        () -> assertEquals("[\"q1\"]", curve.path("jobs").toString()),
        () -> assertEquals(3, curve.at("/totals/0/seconds/rapids").asDouble()),
        () -> assertEquals(1, curve.at("/totals/0/seconds/ours").asDouble()),
        () -> assertEquals(2, curve.at("/totals/1/gpus").asInt()),
        () -> assertEquals(4, curve.at("/totals/1/timesFaster/ours").asDouble(), 1e-9),
        () -> assertEquals(1.5, curve.at("/totals/1/scaling/rapids").asDouble(), 1e-9),
        () -> assertEquals(2, curve.at("/totals/1/scaling/ours").asDouble(), 1e-9),
        () -> assertTrue(printed.toString().contains("1 GPUs, q9: ours: no space")),
        () -> assertEquals(0.25, curve.at("/points/0/jobs/0/exchangeShare/rapids").asDouble()));
  }

  @Test
  void reportsOfTheSameNumberOfGpusCountTogether() throws IOException {
    report("a.json", 2, true, result("q1", "[2]", "[1]"));
    report("b.json", 2, true, result("q2", "[4]", "[1]"), result("q1", "[6]", "[3]"));
    assertEquals(0, curve());
    JsonNode curve = json().at("/curves/0");
    assertAll(
        printed.toString(),
        () -> assertEquals(1, curve.path("points").size()),
        () -> assertEquals("[2.0,6.0]", text(curve, "/points/0/jobs/0/seconds/rapids")),
        () -> assertEquals(8, curve.at("/totals/0/seconds/rapids").asDouble()),
        () -> assertEquals(3, curve.at("/totals/0/seconds/ours").asDouble()),
        () ->
            assertEquals(
                Math.sqrt(8), curve.at("/totals/0/geometricMeanTimesFaster/ours").asDouble(), 1e-9),
        () -> assertEquals(2, json().path("sources").size()));
  }

  @Test
  void rowsThatDifferAndRunsThatWereCutOffAreNamed() throws IOException {
    report("cut.partial.json", 1, false, result("q1", "[2]", "[1]"));
    assertEquals(1, curve());
    assertTrue(printed.toString().contains("Cut off: cut.partial.json"), printed::toString);
    report(
        "cut.partial.json",
        1,
        true,
        result("q1", "[2]", "[1]").replace("\"difference\": \"\"", "\"difference\": \"3 rows\""));
    assertEquals(1, curve());
    assertTrue(printed.toString().contains("1 GPUs, q1: 3 rows"), printed::toString);
  }

  @Test
  void plotHasALineForEachManagerAndTheTableIsMarkdown() throws IOException {
    report("tpch-1.json", 1, true, result("q1", "[20]", "[10]"));
    report("tpch-4.json", 4, true, result("q1", "[8]", "[3]"));
    assertEquals(0, curve());
    String svg = Files.readString(folder.resolve("curve.svg"));
    String markdown = Files.readString(folder.resolve("curve.md"));
    assertAll(
        () -> assertEquals(3, svg.split("<polyline", -1).length, svg),
        () -> assertTrue(svg.contains(">rapids<") && svg.contains(">ours<"), svg),
        () -> assertTrue(svg.contains(">20.0<") && svg.contains(">3.00<"), svg),
        () ->
            assertTrue(
                markdown.contains("| 4 | 8.00 | 3.00 | 2.67 | 2.67 | 2.50 | 3.33 |"), markdown));
  }

  @Test
  void exchangesOfTheLargestSizeAreListedAndOtherFilesSkipped() throws IOException {
    Files.writeString(
        folder.resolve("alltoall-2.json"),
        """
        {"operation": "alltoall", "pes": 2, "measurements": [
          {"method": "pull", "bytes": 4096, "busGBps": 1.5},
          {"method": "pull", "bytes": 1048576, "busGBps": 328.04}]}
        """);
    Files.writeString(folder.resolve("other.json"), "{\"totals\": 3}");
    assertEquals(0, curve());
    assertAll(
        printed.toString(),
        () -> assertEquals(1, json().path("bandwidths").size()),
        () -> assertTrue(printed.toString().contains("328.0"), printed::toString),
        () -> assertFalse(json().path("sources").toString().contains("other")));
  }

  @Test
  void casesHaveNamesWithRowsAndWithPartitionsIfThoseDiffer() throws IOException {
    String job = result("join", "[2]", "[1]");
    report("one.json", 1, true, job.replace("\"rows\": 0", "\"rows\": 800"));
    report("two.json", 2, true, job, job.replace("\"partitions\": 0", "\"partitions\": 200"));
    curve();
    JsonNode points = json().at("/curves/0/points");
    assertAll(
        () -> assertEquals("join, 800 rows", text(points, "/0/jobs/0/job")),
        () -> assertEquals("join, 200 partitions", text(points, "/1/jobs/1/job")));
  }

  @Test
  void refusesFoldersWithoutReports() {
    String message = Mistakes.messageOf(new CurveCommand(), folder.toString());
    assertEquals(
        "There is no JSON report of demo, bench tpcds, bench shuffle or bench alltoall in "
            + folder
            + ".",
        message);
  }

  private int curve() {
    return TestCommandLine.of(new CurveCommand())
        .setOut(new PrintWriter(printed))
        .execute(
            folder.toString(),
            "--json=" + folder.resolve("curve.json"),
            "--svg=" + folder.resolve("curve.svg"),
            "--markdown=" + folder.resolve("curve.md"));
  }

  private JsonNode json() throws IOException {
    return new ObjectMapper().readTree(folder.resolve("curve.json").toFile());
  }

  private static String text(JsonNode node, String pointer) {
    JsonNode found = node.at(pointer);
    return found.isTextual() ? found.asText() : found.toString();
  }

  private void report(String file, int gpus, boolean complete, String... results)
      throws IOException {
    Files.writeString(
        folder.resolve(file),
        """
        {"info": {"executors": %d, "commandLine": "demo"},
         "plan": {"title": "TPC-H at scale 1", "hosts": 0, "oneAtATime": true},
         "managers": ["rapids", "ours"], "complete": %s, "results": [%s]}
        """
            .formatted(gpus, complete, String.join(",", results)));
  }

  private static String result(String job, String rapids, String ours) {
    return """
    {"job": "%s", "rows": 0, "partitions": 0, "outcome": {"difference": "", "entries": [
      {"manager": "rapids", "seconds": %s, "failure": "",
       "figures": {"writeSeconds": 3, "fetchWaitSeconds": 2, "runSeconds": 20}},
      {"manager": "ours", "seconds": %s, "failure": ""}]}}
    """
        .formatted(job, rapids, ours);
  }

  private static String failed(String job, String rapids) {
    return result(job, rapids, "[]")
        .replaceFirst("(?s)\"failure\": \"\"}]}}\\s*$", "\"failure\": \"no space\"}]}}");
  }
}
