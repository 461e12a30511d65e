// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.plugin.config.ByteSize;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** NVIDIA's driver, the GPUs, their memory, and how they reach each other. */
final class GpuChecks {
  private static final int MIN_CUDA = 12000;
  private static final int CUDA_13 = 13000;
  private static final int MIN_CAPABILITY = 80;
  private static final long MIN_FREE_BYTES = 2L << 30;
  private static final String DEVICE_FILE = "dev/nvidiactl";

  private static final KnownProblem DRIVER_NOT_USABLE = KnownProblem.named("driver-not-usable");
  private static final KnownProblem DRIVER_TOO_OLD = KnownProblem.named("driver-too-old");
  private static final KnownProblem NO_GPU_VISIBLE = KnownProblem.named("no-gpu-visible");

  /** The jar has no kernels for this GPU. */
  static final KnownProblem GPU_TOO_OLD = KnownProblem.named("gpu-too-old");

  private static final KnownProblem MIG_MODE = KnownProblem.named("gpu-in-mig-mode");

  /** Two PEs share one GPU. */
  static final KnownProblem GPU_TWICE = KnownProblem.named("gpu-twice");

  /** The device heap does not fit the free memory of the GPU. */
  static final KnownProblem GPU_MEMORY_TAKEN = KnownProblem.named("gpu-memory-taken");

  /** A GPU has no access to the memory of another. */
  static final KnownProblem NO_PEER_ACCESS = KnownProblem.named("no-peer-access");

  private static final KnownProblem NO_NVLINK = KnownProblem.named("no-nvlink");

  static final List<Check> ALL =
      List.of(
          new Check("CUDA driver", List.of(DRIVER_NOT_USABLE, DRIVER_TOO_OLD), GpuChecks::driver),
          new Check(
              "GPUs", List.of(NO_GPU_VISIBLE, GPU_TOO_OLD, MIG_MODE, GPU_TWICE), GpuChecks::gpus),
          new Check("GPU memory", List.of(GPU_MEMORY_TAKEN), GpuChecks::memory),
          new Check("GPU peers", List.of(NO_PEER_ACCESS, NO_NVLINK), GpuChecks::peers));

  private GpuChecks() {}

  private static List<Finding> driver(Host host) {
    GpuFacts facts = host.probe().gpus();
    String absence = facts.absence();
    if (!absence.isEmpty()) {
      return List.of(
          Files.exists(host.path(DEVICE_FILE))
              ? Finding.fail(DRIVER_NOT_USABLE, "/" + DEVICE_FILE + " exists, but " + absence)
              : Finding.skip("No NVIDIA GPU: " + absence));
    }
    String found =
        "Driver %s, CUDA %s"
            .formatted(
                facts.driverVersion().isEmpty() ? "of unknown version" : facts.driverVersion(),
                cuda(facts.cudaVersion()));
    String library = host.probe().nvshmem().name();
    boolean for13 = library.contains("cu13") || library.contains("/nvshmem/13/");
    int needed = for13 ? CUDA_13 : MIN_CUDA;
    return List.of(
        facts.cudaVersion() < needed
            ? Finding.warn(DRIVER_TOO_OLD, found + "; CUDA " + cuda(needed) + " is required")
            : Finding.ok(found));
  }

  private static String cuda(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  private static List<Finding> gpus(Host host) {
    if (!host.probe().gpus().absence().isEmpty()) {
      return List.of(Finding.skip("No CUDA driver"));
    }
    if (host.gpus().isEmpty()) {
      return List.of(
          Finding.warn(
              NO_GPU_VISIBLE,
              host.variable("CUDA_VISIBLE_DEVICES")
                  .map(value -> "CUDA_VISIBLE_DEVICES is " + value)
                  .orElse("The driver lists no GPU")));
    }
    List<Finding> findings = new ArrayList<>();
    Map<String, GpuFacts.Gpu> byUuid = new HashMap<>();
    for (GpuFacts.Gpu gpu : host.gpus()) {
      String found =
          "%s, compute capability %d.%d, %s"
              .formatted(
                  gpu,
                  gpu.capability() / 10,
                  gpu.capability() % 10,
                  ByteSize.text(gpu.totalBytes()));
      GpuFacts.Gpu other = byUuid.putIfAbsent(gpu.uuid(), gpu);
      if (gpu.isMigSlice()) {
        findings.add(Finding.warn(MIG_MODE, found));
      } else if (other != null) {
        findings.add(Finding.warn(GPU_TWICE, gpu + " and " + other + " are both " + gpu.uuid()));
      } else if (gpu.capability() < MIN_CAPABILITY) {
        findings.add(Finding.warn(GPU_TOO_OLD, found));
      } else {
        findings.add(Finding.ok(found));
      }
    }
    return findings;
  }

  private static List<Finding> memory(Host host) {
    if (host.gpus().isEmpty()) {
      return List.of(Finding.skip("No GPU"));
    }
    List<Finding> findings = new ArrayList<>();
    int ours = host.plugins().indexOf(SparkChecks.PLUGIN);
    int theirs = host.plugins().indexOf(SparkChecks.RAPIDS_PLUGIN);
    if (theirs >= 0 && ours > theirs) {
      findings.add(
          Finding.warn(
              GPU_MEMORY_TAKEN, "spark.plugins lists " + SparkChecks.RAPIDS_PLUGIN + " first"));
    }
    for (GpuFacts.Gpu gpu : host.gpus()) {
      String found =
          "%s has %s of %s free"
              .formatted(gpu, ByteSize.text(gpu.freeBytes()), ByteSize.text(gpu.totalBytes()));
      findings.add(
          gpu.freeBytes() < MIN_FREE_BYTES
              ? Finding.warn(GPU_MEMORY_TAKEN, found)
              : Finding.ok(found));
    }
    return findings;
  }

  private static List<Finding> peers(Host host) {
    List<GpuFacts.Gpu> gpus = host.gpus();
    if (gpus.size() < 2) {
      return List.of(Finding.skip(gpus.isEmpty() ? "No GPU" : "Only one GPU"));
    }
    List<Finding> findings = new ArrayList<>();
    for (GpuFacts.Gpu gpu : gpus) {
      List<Integer> others =
          gpus.stream().map(GpuFacts.Gpu::ordinal).filter(n -> n != gpu.ordinal()).toList();
      List<Integer> unreachable =
          others.stream().filter(n -> !gpu.reachable().contains(n)).toList();
      List<Integer> overPcie = others.stream().filter(n -> !gpu.overNvlink().contains(n)).toList();
      if (!unreachable.isEmpty()) {
        findings.add(Finding.warn(NO_PEER_ACCESS, gpu + " cannot access " + unreachable));
      } else if (!overPcie.isEmpty()) {
        findings.add(Finding.warn(NO_NVLINK, gpu + " accesses " + overPcie + " over PCIe"));
      } else {
        findings.add(
            Finding.ok(
                String.format(
                    Locale.ROOT,
                    "%s accesses %s over NVLink, %d links, %.0f GB/s in each direction",
                    gpu,
                    others,
                    gpu.links(),
                    gpu.linkBytesPerSecond() / 1e9)));
      }
    }
    return findings;
  }
}
