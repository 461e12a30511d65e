// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Environment variables of NVSHMEM that make one host fail for the sake of several. */
final class InfiniBandCheck implements Check {
  static final Ailment NOISE =
      new Ailment(
          "infiniband-on-one-host",
          "Errors of ibrc or IBGDA, nv_peer_mem or nvidia_peermem at the start, on one host",
          "NVSHMEM loads its InfiniBand transport by default, also where PEs are linked by NVLink",
          "unset NVSHMEM_REMOTE_TRANSPORT and NVSHMEM_IB_ENABLE_IBGDA: SymShuffle sets"
              + " NVSHMEM_REMOTE_TRANSPORT=none and NVSHMEM_IB_ENABLE_IBGDA=0 where nothing is"
              + " set");
  static final Ailment MULTICAST =
      new Ailment(
          "nvlink-multicast",
          "cuMemCreate ends with 101 or cuMemMap with 401; the start fails with NVLS in its"
              + " message",
          "NVSHMEM makes multicast objects at its start, and the machine or container forbids them",
          "export NVSHMEM_DISABLE_NVLS=1 (SymShuffle does where nothing is set); if that is not"
              + " enough NVSHMEM_DISABLE_CUDA_VMM=1; across containers an IMEX channel is needed");
  static final Ailment BOOTSTRAP =
      new Ailment(
          "other-bootstrap",
          "Every PE sees only itself: Total PEs: 1",
          "NVSHMEM_BOOTSTRAP asks for PMI or MPI, which know nothing of Spark's executors",
          "unset NVSHMEM_BOOTSTRAP; SymShuffle's PEs find each other by unique id");

  @Override
  public String title() {
    return "NVSHMEM variables";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(NOISE, MULTICAST, BOOTSTRAP);
  }

  @Override
  public List<Finding> examine(Host host) {
    List<Finding> findings = new ArrayList<>();
    String transport = value(host, "NVSHMEM_REMOTE_TRANSPORT");
    String ibgda = value(host, "NVSHMEM_IB_ENABLE_IBGDA");
    if (!transport.isEmpty() && !transport.equalsIgnoreCase("none")) {
      String module =
          Files.exists(host.path("sys/module/nvidia_peermem"))
              ? ""
              : ", and the module nvidia_peermem is not loaded";
      findings.add(Finding.warn(NOISE, "NVSHMEM_REMOTE_TRANSPORT is " + transport + module));
    }
    if (ibgda.equals("1") || ibgda.equalsIgnoreCase("true")) {
      findings.add(Finding.warn(NOISE, "NVSHMEM_IB_ENABLE_IBGDA is " + ibgda));
    }
    String multicast = value(host, "NVSHMEM_DISABLE_NVLS");
    if (multicast.equals("0") || multicast.equalsIgnoreCase("false")) {
      findings.add(Finding.warn(MULTICAST, "NVSHMEM_DISABLE_NVLS is " + multicast));
    }
    String bootstrap = value(host, "NVSHMEM_BOOTSTRAP");
    if (!bootstrap.isEmpty() && !bootstrap.equalsIgnoreCase("UID")) {
      findings.add(Finding.warn(BOOTSTRAP, "NVSHMEM_BOOTSTRAP is " + bootstrap));
    }
    return findings.isEmpty()
        ? List.of(Finding.ok("none is set that would stand in the way"))
        : findings;
  }

  private static String value(Host host, String name) {
    String forExecutors = host.setting("spark.executorEnv." + name, "");
    return forExecutors.isEmpty() ? host.variable(name).orElse("").trim() : forExecutors;
  }
}
