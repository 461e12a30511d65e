// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the output of nvcc, if this build had nvcc. */
class KernelFatbinTest {
  private static final String FATBIN = "symshuffle.fatbin";
  private static final FatbinText TEXT = new FatbinText(KernelLayout.class);

  private static final List<String> ENTRIES =
      List.of(
          "symshuffle_all_reduce",
          "symshuffle_check_tables",
          "symshuffle_crc32c",
          "symshuffle_pack_measure",
          "symshuffle_pack_place",
          "symshuffle_pack_starts",
          "symshuffle_pack_write",
          "symshuffle_pull",
          "symshuffle_unpack");

  @TempDir private Path folder;

  @Test
  void propertiesDescribeTheFatbins() throws IOException {
    TEXT.assertDescribed(List.of("symshuffle.fatbin"));
  }

  @Test
  void ptxHasAllKernelsAndTheirInstructions() throws IOException {
    Map<String, String> kernels = TEXT.ptx(FATBIN);
    assertEquals(ENTRIES, kernels.keySet().stream().sorted().toList());
    FatbinText.has(kernels, "symshuffle_pull", "ld\\.global\\.L1::no_allocate\\.v4\\.u32");
    FatbinText.has(kernels, "symshuffle_pull", "st\\.global\\.v4\\.u32");
    FatbinText.has(kernels, "symshuffle_all_reduce", "ld\\.acquire\\.sys\\.global\\.u64");
    FatbinText.has(kernels, "symshuffle_all_reduce", "st\\.release\\.sys\\.global\\.u64");
    FatbinText.has(kernels, "symshuffle_pack_measure", "ld\\.global\\.L1::no_allocate\\.v4\\.u32");
    FatbinText.has(kernels, "symshuffle_unpack", "st\\.global\\.v4\\.u32");
    FatbinText.assertNoTrap(kernels);
  }

  @Test
  void machineCodeHasTheExpectedInstructions() throws IOException, InterruptedException {
    Map<String, String> kernels = TEXT.machineCode(FATBIN, folder);
    FatbinText.has(kernels, "symshuffle_pull", "LDG\\.E\\.NA\\.128");
    FatbinText.has(kernels, "symshuffle_pull", "STG\\.E\\.128");
    FatbinText.has(kernels, "symshuffle_crc32c", "LDG\\.E\\.NA\\.128");
    for (String copy :
        List.of(
            "symshuffle_all_reduce",
            "symshuffle_check_tables",
            "symshuffle_pack_measure",
            "symshuffle_pack_write",
            "symshuffle_pull",
            "symshuffle_unpack")) {
      FatbinText.assertNoSpills(kernels, copy);
    }
  }
}
