// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/** Room for the device heap, which must be there before other libraries take their pools. */
final class GpuMemoryCheck implements Check {
  private static final long LEAST = 2L << 30;

  static final Ailment LITTLE =
      new Ailment(
          "gpu-memory-taken",
          "NVSHMEM gives out no memory, or cuMemCreate ends with CUDA_ERROR_OUT_OF_MEMORY",
          "the device heap is one allocation at the start; another process, or RAPIDS' pool, has"
              + " taken the memory before",
          "list io.symshuffle.SymShufflePlugin before com.nvidia.spark.SQLPlugin in spark.plugins,"
              + " lower spark.rapids.memory.gpu.allocFraction, and end what nvidia-smi lists");

  @Override
  public String title() {
    return "GPU memory";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(LITTLE);
  }

  @Override
  public List<Finding> examine(Host host) {
    List<GpuFacts.Gpu> gpus = host.instruments().gpus().gpus();
    if (gpus.isEmpty()) {
      return List.of(Finding.skip("no GPU"));
    }
    List<Finding> findings = new ArrayList<>();
    List<String> plugins = List.of(host.setting("spark.plugins", "").split("\\s*,\\s*", -1));
    int ours = plugins.indexOf(SettingsCheck.PLUGIN);
    int theirs = plugins.indexOf("com.nvidia.spark.SQLPlugin");
    if (theirs >= 0 && ours > theirs) {
      findings.add(Finding.warn(LITTLE, "spark.plugins names com.nvidia.spark.SQLPlugin first"));
    }
    for (GpuFacts.Gpu gpu : gpus) {
      String found =
          "%s has %s of %s free"
              .formatted(gpu, Expectation.gib(gpu.freeBytes()), Expectation.gib(gpu.totalBytes()));
      findings.add(gpu.freeBytes() < LEAST ? Finding.warn(LITTLE, found) : Finding.ok(found));
    }
    return findings;
  }
}
