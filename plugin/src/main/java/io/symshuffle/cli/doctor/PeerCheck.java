// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/** Which GPU reaches which, and over what. */
final class PeerCheck implements Check {
  static final Ailment NO_PEER =
      new Ailment(
          "no-peer-access",
          "Peer GPU N is not accessible",
          "the GPUs have no way to each other's memory: a virtual machine or container without it,"
              + " PCIe switches with ACS on, or the IOMMU",
          "nvidia-smi topo -p2p r shows the matrix; on PCIe boxes switch ACS and the IOMMU off"
              + " (intel_iommu=off), in a virtual machine ask for GPUs of one NVLink domain");
  static final Ailment NO_NVLINK =
      new Ailment(
          "no-nvlink",
          "Shuffles between GPUs run at the speed of PCIe",
          "the GPUs reach each other, and not over NVLink",
          "nvidia-smi nvlink --status; on NVSwitch machines nvidia-fabricmanager must run"
              + " (systemctl status nvidia-fabricmanager)");

  @Override
  public String title() {
    return "GPU peers";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(NO_PEER, NO_NVLINK);
  }

  @Override
  public List<Finding> examine(Host host) {
    List<GpuFacts.Gpu> gpus = host.instruments().gpus().gpus();
    if (gpus.size() < 2) {
      return List.of(Finding.skip(gpus.isEmpty() ? "no GPU" : "one GPU has no peer"));
    }
    List<Finding> findings = new ArrayList<>();
    for (GpuFacts.Gpu gpu : gpus) {
      List<Integer> others =
          gpus.stream().map(GpuFacts.Gpu::ordinal).filter(n -> n != gpu.ordinal()).toList();
      List<Integer> unreached = others.stream().filter(n -> !gpu.reachable().contains(n)).toList();
      List<Integer> slow = others.stream().filter(n -> !gpu.overNvlink().contains(n)).toList();
      if (!unreached.isEmpty()) {
        findings.add(Finding.warn(NO_PEER, gpu + " cannot reach " + unreached));
      } else if (!slow.isEmpty()) {
        findings.add(Finding.warn(NO_NVLINK, gpu + " reaches " + slow + " over PCIe"));
      } else {
        findings.add(
            Finding.ok(
                "%s reaches %s over NVLink, %d links, %.0f GB/s one way"
                    .formatted(gpu, others, gpu.links(), gpu.linkBytesPerSecond() / 1e9)));
      }
    }
    return findings;
  }
}
