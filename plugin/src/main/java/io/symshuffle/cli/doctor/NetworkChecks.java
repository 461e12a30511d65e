// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.nvshmem.BootstrapInterface;
import io.symshuffle.plugin.config.Settings;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How driver and executors find each other: the host's name, and namespaces of containers. */
final class NetworkChecks {
  private static final double MAX_LOOKUP_SECONDS = 2;

  private static final KnownProblem NAME_UNRESOLVED = KnownProblem.named("host-name-unresolved");
  private static final KnownProblem NAME_IS_LOOPBACK = KnownProblem.named("host-name-is-loopback");
  private static final KnownProblem NAME_SLOW = KnownProblem.named("host-name-slow");
  private static final KnownProblem SEPARATE_CONTAINERS =
      KnownProblem.named("executors-in-own-containers");
  private static final KnownProblem SEPARATE_GPU_CONTAINERS =
      KnownProblem.named("gpus-in-own-containers");

  private static final KnownProblem SLOW_PATH = KnownProblem.named("slow-path");

  /** A link of 1 Gbit/s is the slowest one on which shuffles are fast enough. */
  private static final int MIN_MBIT = 1000;

  static final List<Check> ALL =
      List.of(
          new Check(
              "host name",
              List.of(NAME_UNRESOLVED, NAME_IS_LOOPBACK, NAME_SLOW),
              NetworkChecks::hostName),
          new Check("network links", List.of(SLOW_PATH), NetworkChecks::links),
          new Check(
              "namespaces",
              List.of(SEPARATE_CONTAINERS, SEPARATE_GPU_CONTAINERS),
              NetworkChecks::namespaces));

  private NetworkChecks() {}

  private static List<Finding> hostName(Host host) {
    HostProbe.HostName name = host.probe().hostName();
    if (name.addresses().isEmpty()) {
      return List.of(Finding.fail(NAME_UNRESOLVED, name.name() + " has no address"));
    }
    String found = name.name() + " is " + String.join(", ", name.addresses());
    if (name.seconds() > MAX_LOOKUP_SECONDS) {
      return List.of(
          Finding.warn(
              NAME_SLOW,
              String.format(Locale.ROOT, "%s; the lookup took %.1f s", found, name.seconds())));
    }
    if (name.loopback() && host.variable("SPARK_LOCAL_IP").isEmpty()) {
      return List.of(Finding.warn(NAME_IS_LOOPBACK, found));
    }
    return List.of(Finding.ok(found));
  }

  private static List<Finding> links(Host host) {
    List<Finding> findings = new ArrayList<>();
    List<String> rates = new ArrayList<>();
    for (BootstrapInterface link : host.probe().networkLinks()) {
      String speed = String.join("", host.lines("sys/class/net/%s/speed".formatted(link.name())));
      // The kernel has -1 for links that are down or have no rate.
      if (speed.matches("[0-9]{1,9}")) {
        String found = "%s has %s Mbit/s".formatted(link.name(), speed);
        rates.add(found);
        if (Integer.parseInt(speed) < MIN_MBIT) {
          findings.add(Finding.warn(SLOW_PATH, found));
        }
      }
    }
    if (findings.isEmpty() && rates.isEmpty()) {
      return List.of(Finding.skip("The rates of the links are unknown"));
    }
    return Finding.orOk(findings, String.join(", ", rates));
  }

  private static List<Finding> namespaces(Host host) {
    boolean pod = host.variable("KUBERNETES_SERVICE_HOST").isPresent();
    String ids =
        "PID namespace %s, IPC namespace %s"
            .formatted(namespace(host, "pid"), namespace(host, "ipc"));
    if (!pod && !inContainer(host)) {
      return List.of(Finding.ok("Not in a container; " + ids));
    }
    if (!pod) {
      return List.of(
          Finding.ok(
              "In a container; "
                  + ids
                  + ". Executors in other containers read each other's memory if they share the"
                  + " heap's folder; device heaps of NVSHMEM need one container"));
    }
    List<Finding> findings = new ArrayList<>();
    String folder = host.settings().getOrDefault(Settings.HEAP_DIR.key(), "");
    boolean shared = !folder.isEmpty();
    findings.add(
        shared
            ? Finding.ok(
                "In a Kubernetes pod; "
                    + ids
                    + ". Pods of a node that mount the same memory at "
                    + folder
                    + " read it in place")
            : Finding.warn(SEPARATE_CONTAINERS, "In a Kubernetes pod; " + ids));
    boolean cuda = host.settings().getOrDefault(Settings.DEVICE_BACKEND.key(), "").equals("cuda");
    if (host.gpus().size() == 1 && !(shared && cuda)) {
      findings.add(Finding.warn(SEPARATE_GPU_CONTAINERS, "This pod has one GPU"));
    }
    return findings;
  }

  private static boolean inContainer(Host host) {
    return Files.exists(host.path(".dockerenv")) || Files.exists(host.path("run/.containerenv"));
  }

  private static String namespace(Host host, String kind) {
    Optional<String> link = host.link("proc/self/ns/" + kind);
    return link.map(text -> text.replaceAll("[^0-9]", "")).orElse("unknown");
  }
}
