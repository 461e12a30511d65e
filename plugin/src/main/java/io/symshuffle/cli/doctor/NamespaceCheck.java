// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether the executors of a host see each other's memory and processes. */
final class NamespaceCheck implements Check {
  static final Ailment POD =
      new Ailment(
          "executors-in-own-containers",
          "Executors of one host do not read each other's map outputs in place: read.host.bytes of"
              + " other PEs stays 0, read.transfer.bytes grows",
          "each executor has its own container, and with it its own /dev/shm",
          "one executor with all cores of the node; or the same memory volume in all executors of"
              + " a node: a hostPath on a tmpfs of the node, named in spark.symshuffle.heap.dir");
  static final Ailment GPU_POD =
      new Ailment(
          "gpus-in-own-containers",
          "Peer GPU N is not accessible; PEs of one host are taken for PEs of several",
          "NVSHMEM exchanges memory through sockets in /tmp and finds its host by name, so PEs of a"
              + " host must share PID, IPC and mount namespaces and the host name",
          "run all executors of a host in one container or pod, or start the containers with"
              + " --pid=host --ipc=host --uts=host -v /tmp:/tmp");

  @Override
  public String title() {
    return "namespaces";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(POD, GPU_POD);
  }

  @Override
  public List<Finding> examine(Host host) {
    Optional<String> container = container(host);
    if (container.isEmpty()) {
      return List.of(Finding.ok("no container; PID " + namespace(host, "pid")));
    }
    List<Finding> findings = new ArrayList<>();
    String found =
        "%s; PID namespace %s, IPC namespace %s"
            .formatted(container.get(), namespace(host, "pid"), namespace(host, "ipc"));
    boolean pods = host.variable("KUBERNETES_SERVICE_HOST").isPresent();
    findings.add(
        pods
            ? Finding.warn(POD, found)
            : Finding.ok(found + ": all executors of the host must run in this container"));
    if (pods && host.instruments().gpus().gpus().size() == 1) {
      findings.add(Finding.warn(GPU_POD, "one GPU is seen in this pod"));
    }
    return findings;
  }

  private static String namespace(Host host, String kind) {
    return host.link("proc/self/ns/" + kind)
        .map(text -> text.replaceAll("[^0-9]", ""))
        .orElse("unknown");
  }

  private static Optional<String> container(Host host) {
    if (host.variable("KUBERNETES_SERVICE_HOST").isPresent()) {
      return Optional.of("a Kubernetes pod");
    }
    if (Files.exists(host.path(".dockerenv")) || Files.exists(host.path("run/.containerenv"))) {
      return Optional.of("a container");
    }
    return Optional.empty();
  }
}
