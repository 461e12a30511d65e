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
import java.util.regex.Pattern;
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

  private record Result(int status, String text) {
    int count(String pattern) {
      return (int) Pattern.compile("(?m)" + pattern).matcher(text).results().count();
    }
  }

  @Test
  void reportsMeasurementsBeforeAFailure() throws IOException {
    useFakes();
    FakeLibraries.script(folder.resolve("nvshmem/lib"), "alltoall_exit");
    Path json = folder.resolve("partial.json");
    Result result = run("nvshmem", "2", "4KiB", "--json=" + json);
    assertEquals(1, result.status, result.text);
    assertEquals(1, result.count("4 KiB +pull kernel +.* right$"), result.text);
    assertEquals(1, result.count("4 KiB +NVSHMEM put .* right$"), result.text);
    assertEquals(0, result.count("4 KiB +NVSHMEM all-to-all"), result.text);
    assertTrue(result.text.contains("fake NVSHMEM: fatal in alltoallmem"), result.text);
    JsonNode rows = new ObjectMapper().readTree(json.toFile()).path("rows");
    assertEquals(
        List.of("pull kernel", "copy engine", "NVSHMEM put"),
        rows.findValuesAsText("method"),
        rows::toString);
  }

  @Test
  void comparesTheKernelWithCallsOfNvshmem() throws IOException {
    useFakes();
    Result result = run("nvshmem", "1,2", "4KiB:32KiB");
    assertEquals(0, result.status, result.text);
    for (String method :
        List.of("pull kernel", "copy engine", "NVSHMEM put", "NVSHMEM all-to-all")) {
      for (String start : List.of("1  4 KiB", "1  32 KiB", "2  4 KiB", "2  32 KiB")) {
        assertEquals(1, result.count(start + " +" + method + " .* right$"), result.text);
      }
    }
    assertTrue(result.text.contains("All results are right."), result.text);
  }

  @Test
  void readsOtherGpusThroughAHeapOfCudaMemory() throws IOException {
    useFakes();
    Result result = run("cuda", "3", "4KiB:32KiB");
    assertEquals(0, result.status, result.text);
    assertEquals(2, result.count("KiB +pull kernel +.* right$"), result.text);
    assertEquals(2, result.count("KiB +copy engine +.* right$"), result.text);
    assertTrue(result.text.contains("All results are right."), result.text);
  }

  private void useFakes() throws IOException {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    KernelImage image = KernelImage.find();
    assumeTrue(image.absence().isEmpty(), () -> image.absence().orElseThrow());
    FakeLibraries.cuda(folder.resolve("cuda"));
    FakeLibraries.nvshmem(folder.resolve("nvshmem/lib"));
  }

  private Result run(String backend, String pes, String sizes, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("bench", "collectives", "--backend", backend, "--pes", pes, "--sizes", sizes));
    arguments.addAll(List.of(more));
    ChildProcess.Result result =
        BuiltCommand.unshared(arguments)
            .environment(
                Map.of(
                    "LD_LIBRARY_PATH", folder.resolve("cuda").toString(),
                    "NVSHMEM_HOME", folder.resolve("nvshmem").toString()))
            .run(BuiltCommand.LIMIT);
    return new Result(result.status(), result.output());
  }
}
