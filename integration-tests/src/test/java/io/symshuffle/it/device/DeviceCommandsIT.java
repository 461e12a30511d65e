// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/**
 * The command ring, from the jar that users get with nothing next to it but SLF4J and Jackson: on
 * shared memory, and on fakes of the CUDA driver and of NVSHMEM.
 */
@Execution(ExecutionMode.CONCURRENT)
class DeviceCommandsIT {

  @TempDir private Path folder;

  private record Result(int status, String text) {
    int count(String pattern) {
      return (int) Pattern.compile(pattern).matcher(text).results().count();
    }
  }

  @ParameterizedTest
  @CsvSource({"1", "3"})
  void ringOnSharedMemoryPassesAndShowsEachPe(int pes) {
    Result ring = run("ring", "--pes", "" + pes, "--backend", "shm", "--seed", "5");
    assertEquals(0, ring.status, ring.text);
    assertEquals(pes, ring.count("(?m)^\\d +host memory +PE \\d .* PASS$"), ring.text);
    assertTrue(ring.text.contains("All " + pes + " PEs passed."), ring.text);
    // What PE 0 sent is what its neighbour got.
    assertEquals(2, ring.count(integers(5, 0)), ring.text);
  }

  private static String integers(long seed, int pe) {
    List<String> words = new ArrayList<>();
    new java.util.Random(seed + pe).ints(8, 0, 1000).forEach(i -> words.add("" + i));
    return String.join(" ", words);
  }

  @Test
  @Tag("full")
  void missingGpuRefusesNvshmemOrFallsBackToSharedMemory() {
    useFakes();
    cudaScript("init_rc=100");
    Result asked = run("ring", "--pes", "2", "--backend", "nvshmem");
    assertEquals(2, asked.status, asked.text);
    assertTrue(
        asked.text.contains("The backend nvshmem cannot be used: cuInit(0) failed: "), asked.text);
    assertTrue(asked.text.contains("check nvidia-smi and CUDA_VISIBLE_DEVICES"), asked.text);
    Result replaced = run("ring", "--pes", "2");
    assertEquals(0, replaced.status, replaced.text);
    assertTrue(replaced.text.contains("Using shared memory instead of GPUs: "), replaced.text);
    cudaScript("driver=11040");
    assertTrue(
        run("ring", "--pes", "2", "--backend", "nvshmem").text.contains("install driver 525"));
    cudaScript("devices=1");
    String tooFew = run("ring", "--pes", "2", "--backend", "nvshmem").text;
    assertTrue(tooFew.contains("2 PEs need a GPU each, and this process sees 1"), tooFew);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvshmem", "cuda"})
  @Tag("full")
  void ringOnFakeGpusPasses(String backend) {
    useFakes();
    Result ring = run("ring", "--pes", "3", "--backend", backend);
    assertEquals(0, ring.status, ring.text);
    assertEquals(3, ring.count("(?m)^\\d +Fake GPU \\d .* PASS$"), ring.text);
  }

  @ParameterizedTest
  @CsvSource({
    "status=3, 'give each executor its own GPU'",
    "n_pes=5, 'of 2: it was started by'",
  })
  void failedStartEndsTheJobWithTheReason(String word, String sentence) {
    useFakes();
    nvshmemScript(word);
    Result ring = run("ring", "--pes", "2", "--backend", "nvshmem");
    assertEquals(1, ring.status, ring.text);
    assertTrue(ring.text.contains(sentence), ring.text);
    assertTrue(
        ring.text.lines().anyMatch(line -> line.matches("symshuffle: PE [01]: .*")), ring.text);
  }

  @Test
  @Tag("full")
  void doctorPinsMemoryOnAFakeGpu() {
    useFakes();
    assertEquals(0, run("doctor").count("pinned-memory-refused"));
    cudaScript("refuse_cuMemHostAlloc=1+");
    String report = run("doctor").text;
    assertTrue(report.contains("CUDA cannot pin 64 MiB of host memory: cuMemHostAlloc"), report);
  }

  private boolean fakes;

  private void useFakes() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    FakeLibraries.cuda(folder.resolve("cuda"));
    FakeLibraries.nvshmem(folder.resolve("nvshmem/lib"));
    fakes = true;
  }

  private void cudaScript(String words) {
    FakeLibraries.script(folder.resolve("cuda"), words);
  }

  private void nvshmemScript(String words) {
    FakeLibraries.script(folder.resolve("nvshmem/lib"), words);
  }

  private List<Path> classPath() {
    List<Path> classPath = new ArrayList<>(List.of(Jars.plugin()));
    for (Class<?> type :
        List.of(Logger.class, JsonNode.class, JsonFactory.class, JsonProperty.class)) {
      classPath.add(Jars.holding(type, folder));
    }
    return classPath;
  }

  private Result run(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Jars.join(classPath()),
                "io.symshuffle.cli.Main"));
    command.addAll(List.of(arguments));
    Map<String, String> environment =
        fakes
            ? Map.of(
                "LD_LIBRARY_PATH", folder.resolve("cuda").toString(),
                "NVSHMEM_HOME", folder.resolve("nvshmem").toString())
            : Map.of();
    ChildProcess.Result result =
        ChildProcess.of(command)
            .name(String.join(" ", arguments))
            .withoutEnvironment("SPARK_")
            .environment(environment)
            .run(Await.LIMIT);
    return new Result(result.status(), result.output());
  }
}
