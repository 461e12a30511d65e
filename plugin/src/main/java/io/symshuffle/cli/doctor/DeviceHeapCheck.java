// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.pe.Backend;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A ring of PEs over the GPUs of this host, in processes of their own, since a start of NVSHMEM
 * that fails may end its process. What they print is matched against the known ways to fail.
 */
final class DeviceHeapCheck implements Check {
  private static final int MOST_PES = 8;

  static final Ailment BEFORE_START =
      new Ailment(
          "nvshmem-not-started",
          "NVSHMEM API called before NVSHMEM initialization has completed",
          "its start returned 0 and left status 1: no GPU was set for the thread, a driver older"
              + " than its CUDA, or want of GPU memory",
          "nvidia-smi for the driver (R580 for CUDA 13) and for free memory; executors must have a"
              + " GPU each: spark.executor.resource.gpu.amount=1");
  static final Ailment ALONE =
      new Ailment(
          "every-pe-alone",
          "Total PEs: 1, or a PE that has another number than the driver gave it",
          "PEs started without the common unique id, or a start was repeated in one process",
          "unset NVSHMEM_BOOTSTRAP and NVSHMEMTEST_USE_MPI_LAUNCHER, and start the executors anew");
  static final Ailment HANGS =
      new Ailment(
          "nvshmem-start-hangs",
          "The start does not end",
          "a PE never came, two PEs have one number, or their interface does not let them connect",
          "look at the findings on host name and socket interface; set"
              + " NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME to an interface that all PEs share");
  static final Ailment DIED =
      new Ailment(
          "nvshmem-start-died",
          "Executors end at their start with status 255, 134 or 139",
          "NVSHMEM ends its process where it cannot go on, and prints why",
          "export NVSHMEM_DEBUG=INFO and run bin/symshuffle ring --pes 2 --backend nvshmem; send us"
              + " what it prints if no finding here explains it");

  private static final Map<Pattern, Ailment> SAYINGS = new LinkedHashMap<>();

  static {
    say("Total PEs: 1\\b|sees? only itself|n_pes is 1", ALONE);
    say("Peer GPU \\d+ is not accessible", PeerCheck.NO_PEER);
    say("IPC failure: Binding", SocketFolderCheck.UNWRITABLE);
    say("IPC failure: Sending", SocketFolderCheck.STALE);
    say("No socket interface found", BootstrapInterfaceCheck.NO_INTERFACE);
    say("ibrc|IBGDA|nv_peer_mem|nvidia_peermem", InfiniBandCheck.NOISE);
    say("NVLS|cuMulticast|cuMemMap.*401|cuMemCreate.*101", InfiniBandCheck.MULTICAST);
    say("version mismatch|lib_version_d", NvshmemCheck.DEVICE_LIBRARY);
    say("nvshmemi_bootstrap_plugin_init|bootstrap.*dlopen", NvshmemCheck.INCOMPLETE);
    say("share one GPU|status 3\\b", GpuCheck.TWICE);
    say("OUT_OF_MEMORY|out of memory|no memory", GpuMemoryCheck.LITTLE);
    say("no kernel image|no kernels for", GpuCheck.TOO_OLD);
    say("before NVSHMEM initialization|heap could not be made|status 1\\b", BEFORE_START);
    say("were not done after", HANGS);
  }

  private static void say(String pattern, Ailment ailment) {
    SAYINGS.put(Pattern.compile(pattern), ailment);
  }

  @Override
  public String title() {
    return "device heap";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(BEFORE_START, ALONE, HANGS, DIED);
  }

  @Override
  public List<Finding> examine(Host host) {
    int gpus = host.instruments().gpus().gpus().size();
    if (gpus == 0) {
      return List.of(Finding.skip("no GPU: shuffles use the host heap, and need no more"));
    }
    if (host.instruments().nvshmem().absence().isPresent()) {
      return List.of(Finding.skip("no NVSHMEM that could be started"));
    }
    int pes = Math.min(gpus, MOST_PES);
    ChildOutcome outcome = host.instruments().ring(Backend.NVSHMEM, pes);
    if (outcome.passed()) {
      return List.of(Finding.ok("%d PEs started, put and got through NVSHMEM".formatted(pes)));
    }
    Ailment ailment = diagnose(outcome).orElse(outcome.timedOut() ? HANGS : DIED);
    return List.of(
        Finding.warn(
            ailment,
            "a ring of %d PEs %s: %s"
                .formatted(pes, outcome.ending(), HostHeapCheck.last(outcome))));
  }

  /** {@return what the output of a start that failed points to} */
  static Optional<Ailment> diagnose(ChildOutcome outcome) {
    String output = String.join("\n", outcome.output());
    return SAYINGS.entrySet().stream()
        .filter(saying -> saying.getKey().matcher(output).find())
        .map(Map.Entry::getValue)
        .findFirst();
  }
}
