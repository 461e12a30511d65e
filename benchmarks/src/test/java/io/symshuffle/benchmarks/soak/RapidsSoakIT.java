// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code bench rapids-soak} as users run it, on Spark's own operators. */
@Tag("long")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
class RapidsSoakIT {
  @TempDir private Path folder;

  @Test
  void laterCallContinuesCountsStopsAtAWrongValueAndKeepsTheEvidence() throws Exception {
    ChildProcess.Result first = soak(4, "--executions", "2");
    assertAll(
        first.output(),
        () -> assertEquals(0, first.status()),
        () -> assertEquals(2, arm("cpu").path("executions").asLong()),
        () -> assertEquals(0, arm("cpu").path("wrongTasks").asLong(-1)));
    ChildProcess.Result other = soak(5, "--executions", "5");
    assertAll(
        other.output(),
        () -> assertEquals(2, other.status()),
        () -> assertTrue(other.output().contains("name another file"), other.output()),
        () -> assertEquals(1, report().path("calls").size()));
    ChildProcess.Result result = soak(4, "--executions", "5", "--plant", "1234");
    Path evidence = Path.of(report().at("/arms/0/wrong/evidence").asText());
    JsonNode wrong = new ObjectMapper().readTree(evidence.resolve("wrong.json").toFile());
    List<String> names;
    try (Stream<Path> files = Files.walk(evidence)) {
      names =
          files.filter(Files::isRegularFile).map(evidence::relativize).map(Path::toString).toList();
    }
    assertAll(
        result.output(),
        () -> assertEquals(1, result.status()),
        () -> assertTrue(result.output().contains("task 2: lengths -4"), result.output()),
        () -> assertEquals(2, report().path("calls").size()),
        () -> assertEquals(3, report().at("/arms/0/executions").asLong()),
        () -> assertEquals(12, report().at("/arms/0/tasks").asLong()),
        () -> assertEquals(1234, wrong.at("/tasks/0/task/computed/firstWrong").asLong()),
        () -> assertEquals(33, wrong.at("/tasks/0/computedAgain").size()),
        () -> assertTrue(wrong.at("/tasks/0/place").asText().startsWith("executor driver, task ")),
        () -> assertTrue(names.contains("applications/cpu/driver.log"), names.toString()),
        () -> assertTrue(names.stream().anyMatch(name -> name.startsWith("events/"))));
  }

  @Test
  void runsArmsTogether() throws Exception {
    String arms = "cpu,cpu+malloc-perturb";
    ChildProcess.Result result = soak(4, "--executions", "2", "--arms", arms, "--together");
    assertAll(
        result.output(),
        () -> assertEquals(0, result.status()),
        () -> assertEquals(2, arm("cpu").path("executions").asLong()),
        () -> assertEquals(2, arm("cpu+malloc-perturb").path("executions").asLong()));
  }

  private ChildProcess.Result soak(int tasks, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("bench", "rapids-soak"));
    arguments.addAll(
        List.of("--master", "local[2]", "--rows", "2000", "--tasks", Integer.toString(tasks)));
    arguments.addAll(List.of("--json", folder.resolve("soak.json").toString()));
    arguments.addAll(List.of("--out", folder.resolve("out").toString()));
    arguments.addAll(List.of(options));
    return BuiltCommand.of(arguments).run(Duration.ofMinutes(4));
  }

  /** The report has the arms in the order in which they ended. */
  private JsonNode arm(String name) throws Exception {
    for (JsonNode arm : report().path("arms")) {
      if (arm.path("arm").asText().equals(name)) {
        return arm;
      }
    }
    throw new AssertionError("no arm " + name + " in " + report());
  }

  private JsonNode report() throws Exception {
    return new ObjectMapper().readTree(folder.resolve("soak.json").toFile());
  }
}
