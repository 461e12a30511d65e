// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.pe.Backend;
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
  private static final String INTERFACE_NAMES = "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME";
  private static final String ADDRESS_FAMILY = "NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY";
  private static final String SOCKET_PREFIX = "nvshmem-socket-";
  private static final int MAX_PES = 8;

  private static final KnownProblem NOT_FOUND =
      new KnownProblem(
          "nvshmem-not-found",
          "With spark.symshuffle.device.backend=nvshmem the log says that NVSHMEM's host library"
              + " was not found and executors use the host heap",
          "libnvshmem_host.so.3 is in none of the usual places",
          "Run pip install nvidia-nvshmem-cu13 (or apt install libnvshmem3-cuda-13), or set"
              + " NVSHMEM_HOME=<folder above lib> for the executors"
              + " (spark.executorEnv.NVSHMEM_HOME); or leave the backend to auto, which takes CUDA"
              + " memory");
  private static final KnownProblem INCOMPLETE =
      new KnownProblem(
          "nvshmem-incomplete",
          "undefined symbol nvshmemi_bootstrap_plugin_init, or a plugin cannot be loaded",
          "The bootstrap plugin nvshmem_bootstrap_uid.so.3 is not in the folder of the host"
              + " library",
          "Install all of NVSHMEM into one folder; do not copy only the host library");
  private static final KnownProblem OTHER_VERSION =
      new KnownProblem(
          "nvshmem-version",
          "The log says that 3.3.0 or newer of 3.x is needed",
          "The library is older than 3.3 or newer than 3.x, and its structs have another layout",
          "Run pip install 'nvidia-nvshmem-cu13>=3.3,<4'");
  private static final KnownProblem SEVERAL_COPIES =
      new KnownProblem(
          "nvshmem-twice",
          "Host and device library version mismatch, or a plugin that does not match its library",
          "The dynamic loader may mix several copies of NVSHMEM",
          "Keep one; or set NVSHMEM_HOME to it and remove the others from LD_LIBRARY_PATH");
  private static final KnownProblem DEVICE_LIBRARY =
      new KnownProblem(
          "nvshmem-device-library",
          "Host and device library version mismatch (lib_version_d) when kernels are loaded",
          "The device library in the folder of the host library is missing or of another version",
          "Run pip install --force-reinstall nvidia-nvshmem-cu13, so that both are from one"
              + " package");
  private static final KnownProblem REMOTE_TRANSPORT =
      new KnownProblem(
          "infiniband-on-one-host",
          "Errors from ibrc, IBGDA, nv_peer_mem or nvidia_peermem at startup, on a single host",
          "NVSHMEM loads its InfiniBand transport by default, even if NVLink connects all PEs",
          "Unset NVSHMEM_REMOTE_TRANSPORT and NVSHMEM_IB_ENABLE_IBGDA: SymShuffle's defaults are"
              + " NVSHMEM_REMOTE_TRANSPORT=none and NVSHMEM_IB_ENABLE_IBGDA=0");
  private static final KnownProblem MULTICAST =
      new KnownProblem(
          "nvlink-multicast",
          "cuMemCreate fails with 101 or cuMemMap with 401, or a startup error mentions NVLS",
          "NVSHMEM creates multicast objects at startup, and the machine or container forbids them",
          "Export NVSHMEM_DISABLE_NVLS=1, which is SymShuffle's default; if that is not enough,"
              + " also NVSHMEM_DISABLE_CUDA_VMM=1; across containers an IMEX channel is required");
  private static final KnownProblem OTHER_BOOTSTRAP =
      new KnownProblem(
          "other-bootstrap",
          "Every PE sees only itself: Total PEs: 1",
          "NVSHMEM_BOOTSTRAP selects PMI or MPI, which do not know Spark's executors",
          "Unset NVSHMEM_BOOTSTRAP; SymShuffle's PEs find each other through a unique ID");
  private static final KnownProblem SOCKET_FOLDER =
      new KnownProblem(
          "socket-folder",
          "IPC failure: Binding socket failed, and the executor ends",
          "NVSHMEM creates its sockets in /tmp, regardless of TMPDIR, and /tmp is not writable",
          "Run chmod 1777 /tmp, or mount a writable /tmp; a read-only root file system needs an"
              + " emptyDir there");
  private static final KnownProblem STALE_SOCKETS =
      new KnownProblem(
          "stale-sockets",
          "IPC failure: Sending data over socket failed, occasionally",
          "Sockets of killed processes remain in /tmp, and a new process with the same PID cannot"
              + " create its own",
          "Run rm /tmp/nvshmem-socket-* while no GPU job runs on the host");
  private static final KnownProblem NO_INTERFACE =
      new KnownProblem(
          "no-socket-interface",
          "No socket interface found, or PEs wait for each other at startup",
          "No active network interface matches NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME, or it has no"
              + " address of the selected family",
          "Export NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME==eth0 (the second = means an exact match) with"
              + " an interface from the list, or unset it; on hosts with only IPv6 also export"
              + " NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY=AF_INET6");
  private static final KnownProblem NOT_STARTED =
      new KnownProblem(
          "nvshmem-not-started",
          "NVSHMEM API called before NVSHMEM initialization has completed",
          "The thread had no GPU, the driver is older than NVSHMEM's CUDA version, or GPU"
              + " memory ran out",
          "Run nvidia-smi to check the driver (R580 for CUDA 13) and free memory; each executor"
              + " needs its own GPU: spark.executor.resource.gpu.amount=1");
  private static final KnownProblem EVERY_PE_ALONE =
      new KnownProblem(
          "every-pe-alone",
          "Total PEs: 1, or a PE has another number than the driver assigned",
          "PEs started without the common unique ID, or one process initialized NVSHMEM twice",
          "Unset NVSHMEM_BOOTSTRAP and NVSHMEMTEST_USE_MPI_LAUNCHER, and restart the executors");
  private static final KnownProblem START_HANGS =
      new KnownProblem(
          "nvshmem-start-hangs",
          "NVSHMEM's initialization hangs",
          "A PE is missing, two PEs have the same number, or PEs cannot connect to each other",
          "Check the findings on host name and socket interface; set"
              + " NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME to a network interface that all PEs share");
  private static final KnownProblem START_DIED =
      new KnownProblem(
          "nvshmem-start-died",
          "Executors end at startup with status 255, 134 or 139",
          "NVSHMEM ends its process when it cannot continue, and prints the reason",
          "Export NVSHMEM_DEBUG=INFO and run bin/symshuffle ring --pes 2 --backend nvshmem; report"
              + " its output if no finding here explains it");

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
              List.of(NOT_FOUND, INCOMPLETE, OTHER_VERSION, SEVERAL_COPIES, DEVICE_LIBRARY),
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
    message("version mismatch|lib_version_d", DEVICE_LIBRARY);
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
    if (facts.absence().isPresent()) {
      if (host.gpus().isEmpty() && facts.version().isEmpty()) {
        return List.of(Finding.skip("Not installed; not needed without a GPU"));
      }
      if (facts.version().isEmpty()
          && !host.setting(Settings.DEVICE_BACKEND.key(), "").equals("nvshmem")) {
        return List.of(Finding.skip("Not installed; device heaps have CUDA memory"));
      }
      findings.add(Finding.warn(problem(facts), facts.absence().get()));
    } else {
      findings.add(Finding.ok("NVSHMEM %s in %s".formatted(facts.version(), facts.folder())));
      Path folder = host.path(facts.folder().replaceFirst("^/", ""));
      if (!Files.exists(folder.resolve("libnvshmem_device.bc"))
          && !Files.exists(folder.resolve("libnvshmem_device.a"))) {
        findings.add(Finding.warn(DEVICE_LIBRARY, "No libnvshmem_device in " + facts.folder()));
      }
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
    return facts.absence().orElse("").contains("or newer") ? OTHER_VERSION : INCOMPLETE;
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
    List<HostProbe.NetworkLink> links = host.probe().networkLinks();
    Optional<String> wanted = host.executorVariable(INTERFACE_NAMES);
    boolean six = host.executorVariable(ADDRESS_FAMILY).filter("AF_INET6"::equals).isPresent();
    List<HostProbe.NetworkLink> usable =
        links.stream()
            .filter(link -> six ? link.ip6() : link.ip4())
            .filter(link -> wanted.isEmpty() || matches(wanted.get(), link.name()))
            .toList();
    if (usable.isEmpty()) {
      String setting = wanted.map(names -> INTERFACE_NAMES + " is " + names + "; ").orElse("");
      String found = links.isEmpty() ? "no interface is up" : "interfaces: " + names(links);
      return List.of(failIfGpus(host, NO_INTERFACE, setting + found));
    }
    return List.of(Finding.ok(names(usable) + (six ? " with IPv6" : " with IPv4")));
  }

  private static String names(List<HostProbe.NetworkLink> links) {
    return links.stream().map(HostProbe.NetworkLink::name).collect(Collectors.joining(", "));
  }

  /** As the library reads it: comma-separated prefixes; ^ excludes, = matches whole names. */
  private static boolean matches(String list, String name) {
    boolean exclude = list.startsWith("^");
    String rest = exclude ? list.substring(1) : list;
    boolean exact = rest.startsWith("=");
    List<String> names = List.of((exact ? rest.substring(1) : rest).split(",", -1));
    boolean listed =
        names.stream().anyMatch(each -> exact ? name.equals(each) : name.startsWith(each));
    return exclude != listed;
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
    if (host.probe().nvshmem().absence().isPresent()) {
      return List.of(Finding.skip("NVSHMEM is not usable"));
    }
    int pes = Math.min(gpus, MAX_PES);
    ChildProcess.Result outcome = host.probe().ring(Backend.NVSHMEM, pes);
    if (outcome.passed()) {
      return List.of(Finding.ok("%d PEs exchanged data through NVSHMEM".formatted(pes)));
    }
    KnownProblem problem = diagnose(outcome).orElse(outcome.timedOut() ? START_HANGS : START_DIED);
    return List.of(Finding.warn(problem, MemoryChecks.failedRing(pes, outcome)));
  }

  /** {@return the problem that the output of a failed ring points to} */
  static Optional<KnownProblem> diagnose(ChildProcess.Result outcome) {
    String output = outcome.output();
    return MESSAGES.entrySet().stream()
        .filter(message -> message.getKey().matcher(output).find())
        .map(Map.Entry::getValue)
        .findFirst();
  }
}
