// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs {@code bench collectives} with GPUs: fakes of the CUDA driver and NVSHMEM. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class FakeGpuCollectivesIT {

  @TempDir private Path folder;

  @BeforeEach
  void useFakes() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    KernelImage image = KernelImage.find();
    assumeTrue(image.absence().isEmpty(), () -> image.absence().orElseThrow());
    FakeLibraries.cuda(folder.resolve("cuda"));
    FakeLibraries.nvshmem(folder.resolve("nvshmem/lib"));
  }

  @Test
  void timesCollectivesInHeapsOfCudaMemory() throws IOException {
    assertTimes(run("cuda", "--json=" + json()), List.of());
  }

  @Test
  void timesCollectivesInHeapsOfNvshmem() throws IOException {
    assertTimes(
        run("nvshmem", "--json=" + json()),
        List.of(
            "NVSHMEM all-reduce",
            "NVSHMEM all-reduce, queued",
            "NVSHMEM all-to-all",
            "NVSHMEM all-to-all, queued"));
  }

  @Test
  void saysWhatNcclNeedsIfPesShareGpus() throws IOException {
    FakeLibraries.script(folder.resolve("cuda"), "devices=1");
    ChildProcess.Result result = run("cuda", "--json=" + json());
    assertTimes(result, List.of());
    assertTrue(
        result.output().contains("Skipped NCCL: each of its PEs needs a GPU, and 2 PEs share 1."),
        result.output());
  }

  @Test
  void reportsWhyExecutorsHaveNoDeviceHeap() throws IOException {
    FakeLibraries.script(folder.resolve("cuda"), "devices=1");
    ChildProcess.Result result = run("nvshmem");
    assertEquals(2, result.status(), result.output());
    assertTrue(result.output().contains("2 PEs need a GPU each"), result.output());
  }

  private void assertTimes(ChildProcess.Result result, List<String> more) throws IOException {
    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains("Skipped NCCL: "), result.output());
    assertTrue(result.output().contains("All results are right."), result.output());
    JsonNode rows = new ObjectMapper().readTree(json().toFile()).path("rows");
    List<String> methods = new ArrayList<>(List.of("all-reduce", "all-gather", "all-to-all"));
    methods.addAll(more);
    for (long bytes : new long[] {100, 800}) {
      List<String> found = new ArrayList<>();
      for (JsonNode row : rows) {
        assertTrue(row.path("right").asBoolean(), row::toString);
        assertTrue(row.path("microseconds").asDouble() > 0, row::toString);
        if (row.path("bytes").asLong() == bytes) {
          found.add(row.path("method").asText());
        }
      }
      assertEquals(methods, found);
    }
  }

  private Path json() {
    return folder.resolve("collectives.json");
  }

  private ChildProcess.Result run(String backend, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("bench", "collectives", "--backend", backend, "--pes=2", "--sizes=100B:800B"));
    arguments.add("--memory=512m");
    arguments.addAll(List.of(more));
    return BuiltCommand.of(arguments)
        .environment(
            Map.of(
                "LD_LIBRARY_PATH", folder.resolve("cuda").toString(),
                "NVSHMEM_HOME", folder.resolve("nvshmem").toString(),
                "NCCL_HOME", folder.resolve("nccl").toString()))
        .run(BuiltCommand.LIMIT);
  }
}
