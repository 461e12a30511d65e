// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The GPUs: new enough, whole, and each there once. */
final class GpuCheck implements Check {
  private static final int OLDEST = 80;

  static final Ailment NONE_VISIBLE =
      new Ailment(
          "no-gpu-visible",
          "The log says that executors work on the host heap although the machine has GPUs",
          "the driver works, and this process sees no GPU: CUDA_VISIBLE_DEVICES hides them, or the"
              + " container was given none",
          "unset CUDA_VISIBLE_DEVICES, or give the container its GPUs (docker run --gpus all;"
              + " limits: nvidia.com/gpu in Kubernetes)");
  static final Ailment TOO_OLD =
      new Ailment(
          "gpu-too-old",
          "The device heap is off on this executor: the jar has no kernels for its GPU",
          "the kernels need compute capability 8.0 (Ampere) or newer",
          "use A100, H100, H200, B200 or newer; the host heap serves meanwhile");
  static final Ailment MIG =
      new Ailment(
          "gpu-in-mig-mode",
          "NVSHMEM's start ends with status 3",
          "slices of a GPU in MIG mode cannot reach each other's memory",
          "nvidia-smi -i N -mig 0, then restart what uses the GPU; the host heap serves meanwhile");
  static final Ailment TWICE =
      new Ailment(
          "gpu-twice",
          "NVSHMEM's start ends with status 3, or two executors run on one GPU and another idles",
          "the same GPU is listed twice",
          "name each GPU once in CUDA_VISIBLE_DEVICES and in the discovery script of each worker");

  @Override
  public String title() {
    return "GPUs";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(NONE_VISIBLE, TOO_OLD, MIG, TWICE);
  }

  @Override
  public List<Finding> examine(Host host) {
    GpuFacts facts = host.instruments().gpus();
    if (facts.absence().isPresent()) {
      return List.of(Finding.skip("no driver to ask"));
    }
    if (facts.gpus().isEmpty()) {
      return List.of(
          Finding.warn(
              NONE_VISIBLE,
              host.variable("CUDA_VISIBLE_DEVICES")
                  .map(value -> "CUDA_VISIBLE_DEVICES is " + value)
                  .orElse("the driver lists no GPU")));
    }
    List<Finding> findings = new ArrayList<>();
    Map<String, GpuFacts.Gpu> byUuid = new HashMap<>();
    for (GpuFacts.Gpu gpu : facts.gpus()) {
      String found =
          "%s, compute capability %d.%d, %s"
              .formatted(
                  gpu,
                  gpu.capability() / 10,
                  gpu.capability() % 10,
                  Expectation.gib(gpu.totalBytes()));
      GpuFacts.Gpu other = byUuid.putIfAbsent(gpu.uuid(), gpu);
      if (gpu.isMigSlice()) {
        findings.add(Finding.warn(MIG, found));
      } else if (other != null) {
        findings.add(Finding.warn(TWICE, gpu + " and " + other + " are " + gpu.uuid()));
      } else if (gpu.capability() < OLDEST) {
        findings.add(Finding.warn(TOO_OLD, found));
      } else {
        findings.add(Finding.ok(found));
      }
    }
    return findings;
  }
}
