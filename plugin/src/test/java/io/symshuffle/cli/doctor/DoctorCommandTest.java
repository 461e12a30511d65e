// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.cli.SymShuffleCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return SymShuffleCommand.commandLine(
            new PrintWriter(out, true), new PrintWriter(err, true), false)
        .execute(arguments);
  }

  @Test
  void reportsConflictingSettingAsFailure(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("spark-defaults.conf");
    Files.writeString(
        file,
        """
        # A comment.
        spark.plugins                  io.symshuffle.SymShufflePlugin
        spark.shuffle.service.enabled  true
        spark.symshuffle.required      true
        """);
    int status = run("doctor", "--properties-file", file.toString(), "--json");
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertAll(
        () -> assertEquals(1, status),
        () -> assertFalse(json.get("ok").asBoolean()),
        () -> assertEquals(1, json.get("failures").asInt(), out.toString()),
        () ->
            assertTrue(
                json.get("findings").findValuesAsText("id").contains("shuffle-service"),
                out.toString()),
        () -> assertEquals(3, json.get("abilities").size()));
  }

  @Test
  void outputFitsTerminalAndEndsWithSummary() {
    int status = run("doctor");
    assertAll(
        () -> assertEquals(0, status, out.toString()),
        () ->
            assertTrue(out.toString().matches("(?s).*\\d+ OK, \\d+ skipped, .*\n"), out.toString()),
        () -> assertTrue(out.toString().contains("Shuffles through GPU memory: "), out.toString()),
        () ->
            assertTrue(
                out.toString().lines().allMatch(line -> line.length() <= 100), out.toString()));
  }
}
