// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.nio.file.Files;
import java.util.List;

/** NVIDIA's driver. */
final class DriverCheck implements Check {
  static final int NEEDED = 12000;
  private static final String DEVICE = "dev/nvidiactl";

  static final Ailment NOT_VISIBLE =
      new Ailment(
          "driver-not-usable",
          "The log says that executors work on the host heap although the machine has GPUs",
          "the GPU's device files are there, and CUDA's driver library is not or does not start",
          "nvidia-smi shows whether the driver works; in a container use the NVIDIA runtime (docker"
              + " run --gpus all) with NVIDIA_DRIVER_CAPABILITIES=compute,utility");
  static final Ailment TOO_OLD =
      new Ailment(
          "driver-too-old",
          "NVSHMEM API called before NVSHMEM initialization has completed, although its start"
              + " returned 0",
          "the driver is older than the CUDA that the library was built with: 12 needs R525, 13"
              + " needs R580",
          "install driver R580 or newer, or NVSHMEM's build for CUDA 12 (nvidia-nvshmem-cu12)");

  @Override
  public String title() {
    return "CUDA driver";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(NOT_VISIBLE, TOO_OLD);
  }

  @Override
  public List<Finding> examine(Host host) {
    GpuFacts facts = host.instruments().gpus();
    if (facts.absence().isPresent()) {
      String absence = facts.absence().get();
      return List.of(
          Files.exists(host.path(DEVICE))
              ? Finding.fail(NOT_VISIBLE, "/" + DEVICE + " exists, but " + absence)
              : Finding.skip("no NVIDIA GPU here: " + absence));
    }
    String found =
        "driver %s, CUDA %s"
            .formatted(
                facts.driverVersion().isEmpty() ? "of unknown version" : facts.driverVersion(),
                cuda(facts.cudaVersion()));
    String library = host.instruments().nvshmem().name();
    boolean for13 = library.contains("cu13") || library.contains("/nvshmem/13/");
    int needed = for13 ? 13000 : NEEDED;
    return List.of(
        facts.cudaVersion() < needed
            ? Finding.warn(TOO_OLD, found + ", and CUDA " + cuda(needed) + " is needed")
            : Finding.ok(found));
  }

  private static String cuda(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }
}
