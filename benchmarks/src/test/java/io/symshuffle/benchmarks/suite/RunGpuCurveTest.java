// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code run-gpu-curve.sh} with fakes of {@code bin/symshuffle} and {@code nvidia-smi}. */
@Execution(ExecutionMode.CONCURRENT)
class RunGpuCurveTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @TempDir private Path folder;
  private Path out;

  @BeforeEach
  void copyTheScript() throws IOException {
    out = folder.resolve("out");
    Path script = Files.createDirectories(folder.resolve("benchmarks")).resolve("run-gpu-curve.sh");
    Files.copy(Path.of("run-gpu-curve.sh"), script, StandardCopyOption.COPY_ATTRIBUTES);
    Files.writeString(folder.resolve("rapids.jar"), "");
    program("nvidia-smi", "printf 'GPU 0: a\\nGPU 1: b\\n'");
    // Writes down its arguments, and reports what the test wants of the step.
    program(
        "symshuffle",
        """
        echo "$*" >>"$FAKE/calls"
        json=${@: -1}
        name=$(basename "$json" .partial.json)
        behavior=$(cat "$FAKE/$name" 2>/dev/null || echo complete)
        case $behavior in
          complete) echo '{"complete" : true}' >"$json" ;;
          differs) echo '{"complete" : true}' >"$json"; exit 1 ;;
          dies) echo '{"complete" : false}' >"$json"; exit 1 ;;
          hangs) echo '{"complete" : false}' >"$json"; exec sleep 300 ;;
        esac
        """);
  }

  private void program(String name, String text) throws IOException {
    Path file = Files.createDirectories(folder.resolve("bin")).resolve(name);
    Files.writeString(file, "#!/usr/bin/env bash\n" + text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void runsEveryStepOnEachNumberOfGpusThatTheMachineHas() throws Exception {
    ChildProcess.Result result = run(Map.of());
    List<String> calls = calls();
    assertAll(
        result.output(),
        () -> assertEquals(0, result.status()),
        () -> assertEquals(9, calls.size(), calls::toString),
        () -> assertTrue(calls.getFirst().startsWith("demo --rapids "), calls::toString),
        () -> assertTrue(calls.getFirst().contains(" --starts 1 "), calls::toString),
        () -> assertTrue(calls.get(3).contains(" --gpus 2 "), calls::toString),
        () -> assertTrue(calls.get(5).contains(" --queries q9 "), calls::toString),
        () -> assertTrue(calls.get(7).contains(" --rows 800000000 "), calls::toString),
        () -> assertTrue(calls.get(7).contains(" --partitions 128 "), calls::toString),
        () ->
            assertTrue(
                calls.get(8).startsWith("bench collectives --backend nvshmem --pes 2 "),
                calls::toString));
    for (String name :
        List.of("tpch-1-1", "tpch-2-3", "exchange-1", "exchange-2", "collectives-2")) {
      assertTrue(Files.exists(out.resolve(name + ".json")), name);
    }
  }

  @Test
  void goesOnWhereItWasCutOff() throws Exception {
    Files.writeString(folder.resolve("tpch-2-1"), "dies");
    Map<String, String> parts = Map.of("QUERIES", "q1,q2", "STEPS", "tpch collectives");
    ChildProcess.Result first = run(parts);
    assertAll(
        first.output(),
        () -> assertEquals(1, first.status()),
        () -> assertTrue(first.output().contains("1 failed, 1 left"), first::output),
        () -> assertEquals(3, calls().size(), "the other steps run"),
        () -> assertTrue(Files.exists(out.resolve("tpch-2-1.partial.json"))),
        () -> assertFalse(Files.exists(out.resolve("tpch-2-1.json"))));
    Files.delete(folder.resolve("tpch-2-1"));
    Files.delete(folder.resolve("calls"));
    ChildProcess.Result second = run(parts);
    assertAll(
        second.output(),
        () -> assertEquals(0, second.status()),
        () -> assertEquals(1, calls().size(), "only the step that was left"),
        () -> assertTrue(second.output().contains("tpch-1-1: done before"), second::output),
        () -> assertTrue(Files.exists(out.resolve("tpch-2-1.json"))),
        () -> assertFalse(Files.exists(out.resolve("tpch-2-1.partial.json"))));
  }

  @Test
  void rowsThatDifferAreAResultAndAFailure() throws Exception {
    Files.writeString(folder.resolve("tpch-1-1"), "differs");
    Map<String, String> parts = Map.of("QUERIES", "q1", "STEPS", "tpch", "GPUS", "1");
    ChildProcess.Result result = run(parts);
    assertAll(
        result.output(),
        () -> assertEquals(1, result.status()),
        () -> assertTrue(result.output().contains("tpch-1-1: FAILED"), result::output),
        () -> assertTrue(Files.exists(out.resolve("tpch-1-1.json"))));
  }

  @Test
  void refusesWhatTheMachineDoesNotHave() throws Exception {
    ChildProcess.Result gpus = run(Map.of("GPUS", "1 4"));
    ChildProcess.Result steps = run(Map.of("STEPS", "tpcds"));
    assertAll(
        () -> assertEquals(2, gpus.status()),
        () -> assertTrue(gpus.output().contains("this machine has only 2"), gpus::output),
        () -> assertEquals(2, steps.status()),
        () -> assertTrue(steps.output().contains("unknown step 'tpcds'"), steps::output),
        () -> assertFalse(Files.exists(folder.resolve("calls")), "nothing has started"));
  }

  private ChildProcess.Result run(Map<String, String> variables) {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("FAKE", folder.toString());
    environment.put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    return ChildProcess.of(
            List.of(
                folder.resolve("benchmarks/run-gpu-curve.sh").toString(),
                out.toString(),
                folder.resolve("rapids.jar").toString()))
        .environment(environment)
        .run(LIMIT);
  }

  /** The calls of {@code bin/symshuffle} that measure. */
  private List<String> calls() throws IOException {
    return Files.readAllLines(folder.resolve("calls"));
  }
}
