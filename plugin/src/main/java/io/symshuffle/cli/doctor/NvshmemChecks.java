// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.nvshmem.BootstrapInterface;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** NVSHMEM's library, its environment variables and sockets, and whether a device heap starts. */
final class NvshmemChecks {
  private static final String SOCKET_PREFIX = "nvshmem-socket-";
  private static final int MAX_PES = 8;

  private static final KnownProblem NOT_FOUND = KnownProblem.named("nvshmem-not-found");
  private static final KnownProblem INCOMPLETE = KnownProblem.named("nvshmem-incomplete");
  private static final KnownProblem OTHER_VERSION = KnownProblem.named("nvshmem-version");
  private static final KnownProblem SEVERAL_COPIES = KnownProblem.named("nvshmem-twice");
  private static final KnownProblem REMOTE_TRANSPORT = KnownProblem.named("infiniband-on-one-host");
  private static final KnownProblem MULTICAST = KnownProblem.named("nvlink-multicast");
  private static final KnownProblem OTHER_BOOTSTRAP = KnownProblem.named("other-bootstrap");
  private static final KnownProblem SOCKET_FOLDER = KnownProblem.named("socket-folder");
  private static final KnownProblem STALE_SOCKETS = KnownProblem.named("stale-sockets");
  private static final KnownProblem NO_INTERFACE = KnownProblem.named("no-socket-interface");
  private static final KnownProblem NOT_STARTED = KnownProblem.named("nvshmem-not-started");
  private static final KnownProblem EVERY_PE_ALONE = KnownProblem.named("every-pe-alone");
  private static final KnownProblem START_HANGS = KnownProblem.named("nvshmem-start-hangs");
  private static final KnownProblem START_DIED = KnownProblem.named("nvshmem-start-died");

  /** Whether shuffles through GPU memory are possible on this host. */
  static final Check DEVICE_HEAP =
      new Check(
          "device heap",
          List.of(NOT_STARTED, EVERY_PE_ALONE, START_HANGS, START_DIED),
          NvshmemChecks::deviceHeap);

  static final List<Check> ALL =
      List.of(
          new Check(
              "NVSHMEM",
              List.of(NOT_FOUND, INCOMPLETE, OTHER_VERSION, SEVERAL_COPIES),
              NvshmemChecks::library),
          new Check(
              "socket folder", List.of(SOCKET_FOLDER, STALE_SOCKETS), NvshmemChecks::socketFolder),
          new Check("socket interface", List.of(NO_INTERFACE), NvshmemChecks::socketInterface),
          new Check(
              "NVSHMEM variables",
              List.of(REMOTE_TRANSPORT, MULTICAST, OTHER_BOOTSTRAP),
              NvshmemChecks::variables),
          DEVICE_HEAP);

  /** What the output of a failed ring says, most specific first. */
  private static final Map<Pattern, KnownProblem> MESSAGES = new LinkedHashMap<>();

  static {
    message("Total PEs: 1\\b|sees? only itself|n_pes is 1", EVERY_PE_ALONE);
    message("Peer GPU \\d+ is not accessible", GpuChecks.NO_PEER_ACCESS);
    message("IPC failure: Binding", SOCKET_FOLDER);
    message("IPC failure: Sending", STALE_SOCKETS);
    message("No socket interface found", NO_INTERFACE);
    message("ibrc|IBGDA|nv_peer_mem|nvidia_peermem", REMOTE_TRANSPORT);
    message("NVLS|cuMulticast|cuMemMap.*401|cuMemCreate.*101", MULTICAST);
    message("version mismatch", SEVERAL_COPIES);
    message("nvshmemi_bootstrap_plugin_init|bootstrap.*dlopen", INCOMPLETE);
    message("share one GPU|status 3\\b", GpuChecks.GPU_TWICE);
    message("OUT_OF_MEMORY|out of memory|no memory", GpuChecks.GPU_MEMORY_TAKEN);
    message("no kernel image|no kernels for", GpuChecks.GPU_TOO_OLD);
    message("before NVSHMEM initialization|heap could not be created|status 1\\b", NOT_STARTED);
    message("did not [^\n]+ within \\d+ m?s", START_HANGS);
  }

  private NvshmemChecks() {}

  private static void message(String pattern, KnownProblem problem) {
    MESSAGES.put(Pattern.compile(pattern), problem);
  }

  private static List<Finding> library(Host host) {
    NvshmemFacts facts = host.probe().nvshmem();
    List<Finding> findings = new ArrayList<>();
    if (!facts.absence().isEmpty()) {
      if (host.gpus().isEmpty() && facts.version().isEmpty()) {
        return List.of(Finding.skip("Not installed; not needed without a GPU"));
      }
      if (facts.version().isEmpty()
          && !host.setting(Settings.DEVICE_BACKEND.key(), "").equals("nvshmem")) {
        return List.of(Finding.skip("Not installed; device heaps have CUDA memory"));
      }
      findings.add(Finding.warn(problem(facts), facts.absence()));
    } else {
      findings.add(Finding.ok("NVSHMEM %s in %s".formatted(facts.version(), facts.folder())));
    }
    if (facts.copies().size() > 1) {
      findings.add(Finding.warn(SEVERAL_COPIES, String.join(" and ", facts.copies())));
    }
    return findings;
  }

  private static KnownProblem problem(NvshmemFacts facts) {
    if (facts.version().isEmpty()) {
      return NOT_FOUND;
    }
    return facts.absence().contains("or newer") ? OTHER_VERSION : INCOMPLETE;
  }

  private static List<Finding> socketFolder(Host host) {
    Path folder = host.path("tmp");
    List<Finding> findings = new ArrayList<>();
    if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
      findings.add(failIfGpus(host, SOCKET_FOLDER, "/tmp is missing or not writable"));
    }
    long stale =
        Host.list(folder, SOCKET_PREFIX + "*").stream()
            .filter(socket -> owners(socket).stream().noneMatch(pid -> isAlive(host, pid)))
            .count();
    if (stale > 0) {
      findings.add(
          Finding.warn(STALE_SOCKETS, stale + " sockets of processes that no longer exist"));
    }
    return Finding.orOk(findings, "/tmp is writable and has no stale sockets");
  }

  private static Finding failIfGpus(Host host, KnownProblem problem, String found) {
    return host.gpus().isEmpty() ? Finding.warn(problem, found) : Finding.fail(problem, found);
  }

  private static List<String> owners(Path socket) {
    String name = String.valueOf(socket.getFileName()).substring(SOCKET_PREFIX.length());
    return List.of(name.split("-", -1));
  }

  private static boolean isAlive(Host host, String pid) {
    return pid.matches("\\d{1,9}") && Files.exists(host.path("proc/" + pid));
  }

  private static List<Finding> socketInterface(Host host) {
    List<BootstrapInterface> links = host.probe().networkLinks();
    Optional<String> wanted = host.executorVariable(BootstrapInterface.NAMES);
    boolean six =
        host.executorVariable(BootstrapInterface.FAMILY).filter("AF_INET6"::equals).isPresent();
    List<BootstrapInterface> usable =
        links.stream()
            .filter(link -> six ? link.ipv6() : link.ipv4())
            .filter(link -> wanted.isEmpty() || link.isIn(wanted.get()))
            .toList();
    if (usable.isEmpty()) {
      String setting =
          wanted.map(names -> BootstrapInterface.NAMES + " is " + names + "; ").orElse("");
      String found = links.isEmpty() ? "no interface is up" : "interfaces: " + names(links);
      return List.of(failIfGpus(host, NO_INTERFACE, setting + found));
    }
    return List.of(Finding.ok(names(usable) + (six ? " with IPv6" : " with IPv4")));
  }

  private static String names(List<BootstrapInterface> links) {
    return links.stream().map(BootstrapInterface::name).collect(Collectors.joining(", "));
  }

  private static List<Finding> variables(Host host) {
    List<Finding> findings = new ArrayList<>();
    String transport = host.executorVariable("NVSHMEM_REMOTE_TRANSPORT").orElse("none");
    if (!transport.equalsIgnoreCase("none")) {
      String module =
          Files.exists(host.path("sys/module/nvidia_peermem"))
              ? ""
              : ", and the module nvidia_peermem is not loaded";
      findings.add(
          Finding.warn(REMOTE_TRANSPORT, "NVSHMEM_REMOTE_TRANSPORT is " + transport + module));
    }
    String ibgda = host.executorVariable("NVSHMEM_IB_ENABLE_IBGDA").orElse("0");
    if (ibgda.equals("1") || ibgda.equalsIgnoreCase("true")) {
      findings.add(Finding.warn(REMOTE_TRANSPORT, "NVSHMEM_IB_ENABLE_IBGDA is " + ibgda));
    }
    String noMulticast = host.executorVariable("NVSHMEM_DISABLE_NVLS").orElse("1");
    if (noMulticast.equals("0") || noMulticast.equalsIgnoreCase("false")) {
      findings.add(Finding.warn(MULTICAST, "NVSHMEM_DISABLE_NVLS is " + noMulticast));
    }
    String bootstrap = host.executorVariable("NVSHMEM_BOOTSTRAP").orElse("UID");
    if (!bootstrap.equalsIgnoreCase("UID")) {
      findings.add(Finding.warn(OTHER_BOOTSTRAP, "NVSHMEM_BOOTSTRAP is " + bootstrap));
    }
    return Finding.orOk(findings, "No variable conflicts with SymShuffle");
  }

  /** Runs in child processes, since NVSHMEM may end a process in which it cannot start. */
  private static List<Finding> deviceHeap(Host host) {
    int gpus = host.gpus().size();
    if (gpus == 0) {
      return List.of(Finding.skip("No GPU; shuffles use the host heap"));
    }
    if (!host.probe().nvshmem().absence().isEmpty()) {
      return List.of(Finding.skip("NVSHMEM is not usable"));
    }
    int pes = Math.min(gpus, MAX_PES);
    ChildProcess.Result outcome = host.probe().ring(Backend.NVSHMEM, pes, host.usedHeapFolder());
    if (outcome.passed()) {
      return List.of(Finding.ok("%d PEs exchanged data through NVSHMEM".formatted(pes)));
    }
    KnownProblem problem = diagnose(outcome).orElse(outcome.timedOut() ? START_HANGS : START_DIED);
    return List.of(Finding.warn(problem, MemoryChecks.failedRing(pes + " PEs", outcome)));
  }

  /** Returns the problem that the output of a failed ring points to. */
  static Optional<KnownProblem> diagnose(ChildProcess.Result outcome) {
    String output = outcome.output();
    return MESSAGES.entrySet().stream()
        .filter(message -> message.getKey().matcher(output).find())
        .map(Map.Entry::getValue)
        .findFirst();
  }
}
