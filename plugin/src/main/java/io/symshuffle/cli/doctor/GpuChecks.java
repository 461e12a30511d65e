// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

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

  private static final KnownProblem DRIVER_NOT_USABLE =
      new KnownProblem(
          "driver-not-usable",
          "The log says that executors use the host heap although the machine has GPUs",
          "The GPU's device files exist, but CUDA's driver library is missing or does not start",
          "Run nvidia-smi to see whether the driver works; in a container use the NVIDIA runtime"
              + " (docker run --gpus all) with NVIDIA_DRIVER_CAPABILITIES=compute,utility");
  private static final KnownProblem DRIVER_TOO_OLD =
      new KnownProblem(
          "driver-too-old",
          "NVSHMEM API called before NVSHMEM initialization has completed, although its"
              + " initialization returned 0",
          "The driver is older than the CUDA version that NVSHMEM was built with: CUDA 12 needs"
              + " R525, CUDA 13 needs R580",
          "Install driver R580 or newer, or NVSHMEM's build for CUDA 12 (nvidia-nvshmem-cu12)");
  private static final KnownProblem NO_GPU_VISIBLE =
      new KnownProblem(
          "no-gpu-visible",
          "The log says that executors use the host heap although the machine has GPUs",
          "The driver works, but this process sees no GPU: CUDA_VISIBLE_DEVICES hides them, or the"
              + " container was given none",
          "Unset CUDA_VISIBLE_DEVICES, or give the container its GPUs (docker run --gpus all; in"
              + " Kubernetes limits: nvidia.com/gpu)");

  /** The jar has no kernels for this GPU. */
  static final KnownProblem GPU_TOO_OLD =
      new KnownProblem(
          "gpu-too-old",
          "The device heap is off on this executor: the jar has no kernels for its GPU",
          "The kernels need compute capability 8.0 (Ampere) or newer",
          "Use A100, H100, H200, B200 or newer; older GPUs use the host heap");

  private static final KnownProblem MIG_MODE =
      new KnownProblem(
          "gpu-in-mig-mode",
          "NVSHMEM's initialization ends with status 3",
          "Slices of a GPU in MIG mode cannot access each other's memory",
          "Run nvidia-smi -i N -mig 0, then restart what uses the GPU; until then the host heap is"
              + " used");

  /** Two PEs share one GPU. */
  static final KnownProblem GPU_TWICE =
      new KnownProblem(
          "gpu-twice",
          "NVSHMEM's initialization ends with status 3, or two executors share one GPU while"
              + " another is idle",
          "The same GPU is listed twice",
          "Name each GPU once in CUDA_VISIBLE_DEVICES and in each worker's discovery script");

  /** The device heap does not fit the free memory of the GPU. */
  static final KnownProblem GPU_MEMORY_TAKEN =
      new KnownProblem(
          "gpu-memory-taken",
          "NVSHMEM cannot allocate memory, or cuMemCreate fails with CUDA_ERROR_OUT_OF_MEMORY",
          "Another process or RAPIDS' memory pool has already taken the memory",
          "List io.symshuffle.SymShufflePlugin before com.nvidia.spark.SQLPlugin in spark.plugins,"
              + " and stop the processes that nvidia-smi lists");

  /** A GPU has no access to the memory of another. */
  static final KnownProblem NO_PEER_ACCESS =
      new KnownProblem(
          "no-peer-access",
          "Peer GPU N is not accessible",
          "The GPUs cannot access each other's memory: a virtual machine or container without peer"
              + " access, PCIe switches with ACS enabled, or the IOMMU",
          "Run nvidia-smi topo -p2p r to see the matrix; on PCIe machines disable ACS and the IOMMU"
              + " (intel_iommu=off); in a virtual machine request GPUs of one NVLink domain");

  private static final KnownProblem NO_NVLINK =
      new KnownProblem(
          "no-nvlink",
          "Shuffles between GPUs run at the speed of PCIe",
          "The GPUs access each other's memory, but not over NVLink",
          "Run nvidia-smi nvlink --status; on NVSwitch machines nvidia-fabricmanager must run"
              + " (systemctl status nvidia-fabricmanager)");

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
    if (facts.absence().isPresent()) {
      String absence = facts.absence().get();
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
    if (host.probe().gpus().absence().isPresent()) {
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
                  gpu, gpu.capability() / 10, gpu.capability() % 10, Host.size(gpu.totalBytes()));
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
              .formatted(gpu, Host.size(gpu.freeBytes()), Host.size(gpu.totalBytes()));
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
