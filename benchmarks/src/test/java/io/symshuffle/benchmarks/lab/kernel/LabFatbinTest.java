// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.kernel.FatbinText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the output of nvcc, if this build had nvcc. */
class LabFatbinTest {
  private static final String FATBIN = "lab.fatbin";
  private static final FatbinText TEXT = new FatbinText(LabKernels.class);

  private static final List<String> ENTRIES =
      List.of(
          "symshuffle_barrier", "symshuffle_multicast_sum", "symshuffle_push", "symshuffle_sum");

  @TempDir private Path folder;

  @Test
  void propertiesDescribeTheFatbin() throws IOException {
    TEXT.assertDescribed(List.of(FATBIN));
  }

  @Test
  void ptxHasAllKernelsAndTheirInstructions() throws IOException {
    Map<String, String> kernels = TEXT.ptx(FATBIN);
    assertEquals(ENTRIES, kernels.keySet().stream().sorted().toList());
    FatbinText.has(kernels, "symshuffle_push", "st\\.global\\.v4\\.u32");
    FatbinText.has(kernels, "symshuffle_barrier", "st\\.release\\.sys\\.global\\.u64");
    FatbinText.has(kernels, "symshuffle_barrier", "ld\\.acquire\\.sys\\.global\\.u64");
    FatbinText.has(kernels, "symshuffle_barrier", "globaltimer");
    FatbinText.has(kernels, "symshuffle_sum", "st\\.global\\.v4\\.u32");
    FatbinText.has(
        kernels,
        "symshuffle_multicast_sum",
        "multimem\\.ld_reduce\\.relaxed\\.sys\\.global\\.add\\.v4\\.f32");
    FatbinText.assertNoTrap(kernels);
  }

  @Test
  void machineCodeHasTheExpectedInstructions() throws IOException, InterruptedException {
    Map<String, String> kernels = TEXT.machineCode(FATBIN, folder);
    FatbinText.has(kernels, "symshuffle_push", "LDG\\.E\\.NA\\.128");
    FatbinText.has(kernels, "symshuffle_push", "STG\\.E\\.128");
    FatbinText.has(kernels, "symshuffle_sum", "LDG\\.E\\.NA\\.128");
    FatbinText.has(kernels, "symshuffle_multicast_sum", "LDGMC\\.E\\.ADD\\.F32x4\\S*STRONG\\.SYS");
    for (String kernel : List.of("symshuffle_push", "symshuffle_sum")) {
      FatbinText.assertNoSpills(kernels, kernel);
    }
  }
}
