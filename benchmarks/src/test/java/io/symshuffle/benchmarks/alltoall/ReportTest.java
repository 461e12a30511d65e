// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
    Measurement measurement = new Measurement("pull", 4000, List.of(1.0, 2.0), 3, true);
    JsonFile.write(
        new Report(
            "shm", List.of("a", "b"), List.of("", ""), 7, 8, List.of(REASON), List.of(measurement)),
        file);
    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertEquals(
        List.of(
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

  private static List<String> names(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
