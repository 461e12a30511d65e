// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.heap.host.HeapPlace;
import io.symshuffle.heap.host.MemoryLimits;
import io.symshuffle.nvshmem.BootstrapInterface;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A machine in a folder, healthy and without GPUs by default. */
final class FakeHost implements HostProbe {
  private final Path root;
  final Map<String, String> environment = new HashMap<>();
  final Map<String, String> settings = new HashMap<>();
  final List<Path> classPath = new ArrayList<>();
  final Map<String, String> properties =
      new HashMap<>(Map.of("os.name", "Linux", "os.version", "6.1", "os.arch", "amd64"));
  final Map<Path, HeapPlace> places = new HashMap<>();
  Runtime.Version java = Runtime.Version.parse("25.0.3");
  MemoryLimits memory = new MemoryLimits(OptionalLong.of(64L << 30), OptionalLong.empty());
  HostName hostName = new HostName("node1", List.of("10.0.0.1"), false, 0.01);
  List<BootstrapInterface> links =
      List.of(
          new BootstrapInterface("lo", true, true), new BootstrapInterface("eth0", true, false));
  GpuFacts gpus = GpuFacts.absent("libcuda.so.1 cannot be loaded");
  NvshmemFacts nvshmem = NvshmemFacts.absent("not found");
  ChildProcess.Result shmRing = new ChildProcess.Result(0, false, "");
  ChildProcess.Result nvshmemRing = new ChildProcess.Result(0, false, "");
  final List<Path> ringFolders = new ArrayList<>();
  ChildProcess.Result cudaRing = new ChildProcess.Result(0, false, "");

  FakeHost(Path root) {
    this.root = root;
    place("/dev/shm", 32L << 30, true);
    place("/tmp", 100L << 30, false);
    file("proc/self/limits", limits("1024", "1048576", "unlimited", "unlimited"));
    folder("tmp");
    file("classes/io/symshuffle/SymShufflePlugin.class", "");
    file("classes/com/nvidia/spark/SQLPlugin.class", "");
    classPath.add(root.resolve("classes"));
  }

  static String limits(String softFiles, String hardFiles, String space, String locked) {
    return """
    Limit                     Soft Limit           Hard Limit           Units
    Max locked memory         %s                 %s                 bytes
    Max open files            %s                 %s                 files
    Max address space         %s                 %s                 bytes
    """
        .formatted(locked, locked, softFiles, hardFiles, space, space);
  }

  FakeHost place(String folder, long bytes, boolean memoryBacked) {
    places.put(
        Path.of(folder), new HeapPlace(Path.of(folder), bytes, memoryBacked, Optional.empty()));
    return this;
  }

  FakeHost fault(String folder, String fault) {
    places.put(Path.of(folder), new HeapPlace(Path.of(folder), 0, false, Optional.of(fault)));
    return this;
  }

  FakeHost file(String path, String text) {
    try {
      Path file = root.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  FakeHost folder(String path) {
    try {
      Files.createDirectories(root.resolve(path));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  FakeHost set(String key, String value) {
    settings.put(key, value);
    return this;
  }

  FakeHost variable(String name, String value) {
    environment.put(name, value);
    return this;
  }

  FakeHost jar(String name) {
    classPath.add(Path.of("/jars", name));
    return this;
  }

  /** Two H200 GPUs on NVLink with NVSHMEM 3.4.5. */
  FakeHost twoGpus() {
    withGpus(gpu(0, 1), gpu(1, 0));
    nvshmem =
        new NvshmemFacts(
            "",
            "/opt/nvshmem/lib/libnvshmem_host.so.3",
            "3.4.5",
            "/opt/nvshmem/lib",
            List.of("/opt/nvshmem/lib/libnvshmem_host.so.3"));
    return this;
  }

  FakeHost withGpus(GpuFacts.Gpu... gpus) {
    this.gpus = new GpuFacts("", 13000, "580.95.05", "", List.of(gpus));
    return this;
  }

  static GpuFacts.Gpu gpu(int ordinal, Integer... peers) {
    return new GpuFacts.Gpu(
        ordinal,
        "NVIDIA H200",
        "GPU-" + ordinal,
        90,
        140L << 30,
        141L << 30,
        18,
        450_000_000_000L,
        List.of(peers),
        List.of(peers));
  }

  Host host() {
    return new Host(root, environment, settings, classPath, this);
  }

  @Override
  public Runtime.Version javaVersion() {
    return java;
  }

  @Override
  public String property(String name) {
    return properties.getOrDefault(name, "");
  }

  @Override
  public HeapPlace place(Path folder, String setting) {
    return places.getOrDefault(
        folder,
        new HeapPlace(
            folder, 0, false, Optional.of("%s does not exist: set %s".formatted(folder, setting))));
  }

  @Override
  public MemoryLimits memory() {
    return memory;
  }

  @Override
  public HostName hostName() {
    return hostName;
  }

  @Override
  public List<BootstrapInterface> networkLinks() {
    return links;
  }

  @Override
  public GpuFacts gpus() {
    return gpus;
  }

  @Override
  public NvshmemFacts nvshmem() {
    return nvshmem;
  }

  @Override
  public ChildProcess.Result ring(Backend backend, int pes, Path folder) {
    ringFolders.add(folder);
    return switch (backend) {
      case SHM -> shmRing;
      case NVSHMEM -> nvshmemRing;
      case CUDA -> cudaRing;
    };
  }
}
