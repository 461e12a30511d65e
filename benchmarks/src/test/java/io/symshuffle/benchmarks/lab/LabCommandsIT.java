// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

/**
 * Runs {@code bench alltoall} in its own processes: on shared memory, and on fakes of the CUDA
 * driver and NVSHMEM.
 */
@Execution(ExecutionMode.CONCURRENT)
class LabCommandsIT {
  private static final Duration LIMIT = Duration.ofMinutes(4);

  @TempDir private Path folder;

  private record Result(int status, String text) {
    int count(String pattern) {
      return (int) Pattern.compile(pattern).matcher(text).results().count();
    }
  }

  @Test
  void writesReportsOfAnExchangeOnSharedMemory() throws IOException {
    Path json = folder.resolve("a.json");
    Result result =
        run(
            "bench",
            "alltoall",
            "--backend",
            "shm",
            "--pes",
            "3",
            "--sizes",
            "4KiB:8KiB",
            "--json",
            json.toString());
    assertEquals(0, result.status, result.text);
    assertEquals(2, result.count("(?m)^[48].* KiB +pull .* right$"), result.text);
    assertTrue(result.text.contains("All data is correct."), result.text);
    String report = Files.readString(json);
    assertEquals(2, report.split("\"right\" : true", -1).length - 1, report);
    assertTrue(report.contains("\"pes\" : 3"), report);
  }

  @ParameterizedTest
  @CsvSource({
    "--sizes 8KiB:4KiB, '--sizes is'",
    "--sizes 4x, '--sizes is'",
    "--sizes 0, '--sizes is'",
    "--pes 0, '--pes is 0'",
  })
  @Test
  @Tag("full")
  void reportsMeasurementsBeforeAFailure() throws IOException {
    useFakes();
    FakeLibraries.script(folder.resolve("nvshmem/lib"), "alltoall_exit");
    Path json = folder.resolve("partial.json");
    Result result =
        run(
            "bench",
            "alltoall",
            "--backend",
            "nvshmem",
            "--pes",
            "2",
            "--sizes",
            "4KiB",
            "--json",
            json.toString());
    assertEquals(1, result.status, result.text);
    assertEquals(1, result.count("(?m)^4 KiB +pull kernel +.* right$"), result.text);
    assertEquals(1, result.count("(?m)^4 KiB +NVSHMEM put .* right$"), result.text);
    assertEquals(0, result.count("(?m)^4 KiB +NVSHMEM all-to-all"), result.text);
    assertTrue(result.text.contains("fake NVSHMEM: fatal in alltoallmem"), result.text);
    assertTrue(Files.readString(json).contains("everything after the last line: PE "), result.text);
  }

  @Test
  @Tag("full")
  void readsOtherGpusThroughAHeapOfCudaMemory() throws IOException {
    useFakes();
    Result result =
        run("bench", "alltoall", "--backend", "cuda", "--pes", "3", "--sizes", "4KiB:8KiB");
    assertEquals(0, result.status, result.text);
    assertEquals(2, result.count("(?m)^[48].* KiB +pull kernel +.* right$"), result.text);
    assertEquals(2, result.count("(?m)^[48].* KiB +copy engine, pull  +.* right$"), result.text);
    assertTrue(result.text.contains("All data is correct."), result.text);
  }

  private void useFakes() throws IOException {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    KernelImage image = KernelImage.find();
    assumeTrue(image.absence().isEmpty(), () -> image.absence().orElseThrow());
    FakeLibraries.cuda(folder.resolve("cuda"));
    FakeLibraries.nvshmem(folder.resolve("nvshmem/lib"));
  }

  private Result run(String... arguments) throws IOException {
    ChildProcess.Result result =
        BuiltCommand.unshared(List.of(arguments))
            .environment(
                Map.of(
                    "LD_LIBRARY_PATH", folder.resolve("cuda").toString(),
                    "NVSHMEM_HOME", folder.resolve("nvshmem").toString()))
            .run(LIMIT);
    return new Result(result.status(), result.output());
  }
}
