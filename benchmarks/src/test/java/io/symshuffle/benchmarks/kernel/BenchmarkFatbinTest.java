// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.kernel.FatbinText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the output of nvcc, if this build had nvcc. */
class BenchmarkFatbinTest {
  private static final String FATBIN = "benchmarks.fatbin";
  private static final FatbinText TEXT = new FatbinText(BenchmarkKernels.class);

  private static final List<String> ENTRIES =
      List.of(
          "symshuffle_barrier",
          "symshuffle_broadcast",
          "symshuffle_multimem_barrier",
          "symshuffle_multimem_broadcast",
          "symshuffle_multimem_reduce",
          "symshuffle_pull_tma",
          "symshuffle_push",
          "symshuffle_reduce",
          "symshuffle_signal",
          "symshuffle_wait");

  @TempDir private Path folder;

  @Test
  void propertiesDescribeTheFatbins() throws IOException {
    TEXT.assertDescribed(
        List.of("benchmarks.fatbin", "device_pull.fatbin", "device_pull_queue_pairs.fatbin"));
  }

  @Test
  void ptxHasAllKernelsAndTheirInstructions() throws IOException {
    Map<String, String> kernels = TEXT.ptx(FATBIN);
    assertEquals(ENTRIES, kernels.keySet().stream().sorted().toList());
    FatbinText.has(kernels, "symshuffle_push", "st\\.global\\.v4\\.u32");
    FatbinText.has(kernels, "symshuffle_pull_tma", "cp\\.async\\.bulk\\.shared::cluster\\.global");
    FatbinText.has(kernels, "symshuffle_pull_tma", "cp\\.async\\.bulk\\.global\\.shared::cta");
    FatbinText.has(kernels, "symshuffle_signal", "st\\.release\\.sys\\.global\\.u64");
    FatbinText.has(kernels, "symshuffle_wait", "ld\\.acquire\\.sys\\.global\\.u64");
    FatbinText.has(kernels, "symshuffle_barrier", "globaltimer");
    FatbinText.has(
        kernels,
        "symshuffle_multimem_broadcast",
        "multimem\\.st\\.relaxed\\.sys\\.global\\.v4\\.f32");
    FatbinText.has(
        kernels,
        "symshuffle_multimem_barrier",
        "multimem\\.red\\.release\\.sys\\.global\\.add\\.u64");
    for (String reduction :
        List.of(
            "add\\.s32",
            "add\\.u64",
            "add\\.f32",
            "add\\.v4\\.f32",
            "add\\.f64",
            "min\\.s32",
            "min\\.s64",
            "max\\.s32",
            "max\\.s64")) {
      FatbinText.has(
          kernels,
          "symshuffle_multimem_reduce",
          "multimem\\.ld_reduce\\.relaxed\\.sys\\.global\\." + reduction);
    }
    FatbinText.assertNoTrap(kernels);
  }

  @Test
  void relocatableObjectsNeedOneSymbolOfNvshmem() throws IOException {
    String name = "_Z21nvshmemi_transfer_rmaIL13threadgroup_t3EL13nvshmemi_op_t4EEvPvS2_mi";
    assertEquals(List.of(name), TEXT.externals("device_pull.fatbin"));
    assertEquals(List.of(name + "i"), TEXT.externals("device_pull_queue_pairs.fatbin"));
  }

  @Test
  void machineCodeHasTheExpectedInstructions() throws IOException, InterruptedException {
    Map<String, String> kernels = TEXT.machineCode(FATBIN, folder);
    FatbinText.has(kernels, "symshuffle_push", "LDG\\.E\\.NA\\.128");
    FatbinText.has(kernels, "symshuffle_push", "STG\\.E\\.128");
    FatbinText.has(kernels, "symshuffle_pull_tma", "UBLKCP\\.S\\.G");
    FatbinText.has(kernels, "symshuffle_pull_tma", "UBLKCP\\.G\\.S");
    FatbinText.has(kernels, "symshuffle_pull_tma", "SYNCS\\.PHASECHK\\S*TRYWAIT");
    FatbinText.has(kernels, "symshuffle_multimem_broadcast", "STG\\.E\\.128\\.STRONG\\.SYS");
    FatbinText.has(kernels, "symshuffle_multimem_barrier", "REDG\\.E\\.ADD\\.64\\.STRONG\\.SYS");
    for (String reduction :
        List.of("ADD\\.S32", "ADD\\.64", "ADD\\.F32x4", "ADD\\.F64", "MIN\\.S64", "MAX\\.S32")) {
      FatbinText.has(
          kernels, "symshuffle_multimem_reduce", "LDGMC\\.E\\." + reduction + "\\S*STRONG\\.SYS");
    }
    for (String copy : List.of("symshuffle_push")) {
      FatbinText.assertNoSpills(kernels, copy);
    }
  }
}
