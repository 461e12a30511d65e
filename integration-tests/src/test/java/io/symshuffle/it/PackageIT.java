// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.ManagedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar that users get, alone, as a user has it: from outside of the tree, without Spark. */
class PackageIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private record Ended(int status, String output) {}

  private Ended run(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", Jars.plugin().toString()));
    command.addAll(List.of(arguments));
    try (ManagedProcess process =
        ManagedProcess.start("symshuffle", command, Map.of(), folder.resolve("output.log"))) {
      int status = process.awaitExit(LIMIT);
      return new Ended(status, process.log());
    }
  }

  @Test
  void theDoctorNeedsNothingButTheJar() throws IOException {
    Ended ended = run("doctor", "--json");
    JsonNode json = new ObjectMapper().readTree(ended.output());
    assertEquals(json.get("ok").asBoolean() ? 0 : 1, ended.status(), ended.output());
    List<String> states = new ArrayList<>();
    for (JsonNode finding : json.get("findings")) {
      if (finding.get("check").asText().equals("host heap")) {
        states.add(finding.get("state").asText());
      }
    }
    assertEquals(List.of("ok"), states, ended.output());
  }

  @Test
  void theTunerNeedsNothingButTheJar() {
    Ended ended = run("tune");
    assertEquals(0, ended.status(), ended.output());
    assertTrue(ended.output().contains("spark.plugins  io.symshuffle.SymShufflePlugin"));
  }

  @Test
  void aMistakeOfTheUserGetsNoStackTrace() {
    for (String[] mistake :
        new String[][] {
          {"docter"}, {"doctor", "--conf", "nonsense"}, {"tune", "--event-log", "/nonexistent"}, {}
        }) {
      Ended ended = run(mistake);
      String command = String.join(" ", mistake);
      assertAll(
          command,
          () -> assertTrue(ended.status() == 1 || ended.status() == 2, ended.output()),
          () -> assertFalse(ended.output().contains("\tat "), ended.output()),
          () -> assertTrue(ended.output().startsWith("symshuffle: "), ended.output()));
    }
  }

  @Test
  void bashTakesTheCompletionScript() throws IOException {
    Path script = folder.resolve("completion.bash");
    Ended ended = run("completion");
    Files.writeString(script, ended.output());
    try (ManagedProcess bash =
        ManagedProcess.start(
            "bash",
            List.of("bash", "-c", "source " + script + " && complete -p symshuffle"),
            Map.of(),
            folder.resolve("bash.log"))) {
      assertEquals(0, bash.awaitExit(LIMIT), bash.log());
    }
    assertTrue(ended.output().contains("doctor"), "no doctor in the script");
  }

  @Test
  void theJarHoldsWhatItShouldAndNothingElse() throws IOException {
    try (JarFile jar = new JarFile(Jars.plugin().toFile())) {
      List<String> strangers =
          jar.stream()
              .filter(entry -> !entry.isDirectory())
              .map(ZipEntry::getName)
              .filter(name -> !name.startsWith("io/symshuffle/") && !name.startsWith("META-INF/"))
              .toList();
      assertAll(
          () -> assertEquals(List.of(), strangers),
          () -> assertTrue(jar.getEntry("META-INF/LICENSE") != null, "no licence"),
          () -> assertTrue(jar.getEntry("META-INF/NOTICE") != null, "no notice"),
          () ->
              assertTrue(
                  jar.getEntry("META-INF/services/org.apache.spark.status.AppHistoryServerPlugin")
                      != null,
                  "no plugin of the History Server"));
    }
  }
}
