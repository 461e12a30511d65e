// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.lab.pe.Operation;
import io.symshuffle.benchmarks.report.JsonFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  private static final String REASON = "NCCL: \"no\tlibrary\"\u0007\\";

  @Test
  void jsonHasAllNumbersAndEscapesTexts(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("alltoall.json");
    Measurement measurement =
        Measurement.of(Operation.ALL_TO_ALL, "pull", 4000, List.of(1.0, 2.0), 3, true);
    JsonFile.write(
        new Report(
            "alltoall",
            "shm",
            List.of("a", "b"),
            List.of("", ""),
            7,
            8,
            List.of(REASON),
            List.of(measurement)),
        file);
    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertEquals(
        List.of(
            "operation",
            "backend",
            "pes",
            "devices",
            "links",
            "linkBytesPerSecond",
            "seed",
            "skipped",
            "measurements"),
        names(json));
    assertEquals(2, json.path("pes").asInt());
    assertEquals(REASON, json.path("skipped").path(0).asText());
    JsonNode first = json.path("measurements").path(0);
    assertEquals(
        List.of("method", "bytes", "microseconds", "algorithmGBps", "busGBps", "ctas", "right"),
        names(first));
    assertEquals(2.0, first.path("algorithmGBps").asDouble());
    assertEquals(1.0, first.path("busGBps").asDouble());
  }

  @Test
  void busBandwidthCountsWhatMustLeaveEachPe() {
    List<Double> times = List.of(1.0, 2.0, 1.0, 1.0);
    assertEquals(
        1.5, Measurement.of(Operation.ALL_TO_ALL, "m", 4000, times, 0, true).busGBps(), 1e-9);
    assertEquals(
        3.0, Measurement.of(Operation.ALL_REDUCE, "m", 4000, times, 0, true).busGBps(), 1e-9);
  }

  private static List<String> names(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
