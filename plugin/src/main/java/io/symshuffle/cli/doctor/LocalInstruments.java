// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cli.Main;
import io.symshuffle.cli.pe.Backend;
import io.symshuffle.heap.HeapPlace;
import io.symshuffle.heap.MemoryLimits;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The machine that this process runs on. */
final class LocalInstruments implements Instruments {
  private static final long NAME_SECONDS = 10;

  private final Duration limit;
  private final Optional<Path> nvshmemPlace;
  private GpuFacts gpus;
  private NvshmemFacts nvshmem;

  /**
   * Prepares.
   *
   * @param limit for each child process
   * @param nvshmemPlace where the user says that NVSHMEM lies
   */
  LocalInstruments(Duration limit, Optional<Path> nvshmemPlace) {
    this.limit = requireNonNull(limit, "limit is null");
    this.nvshmemPlace = requireNonNull(nvshmemPlace, "nvshmemPlace is null");
  }

  @Override
  public Runtime.Version javaVersion() {
    return Runtime.version();
  }

  @Override
  public String property(String name) {
    return System.getProperty(name, "");
  }

  @Override
  public HeapPlace place(Path folder, String setting) {
    return HeapPlace.probe(folder, setting);
  }

  @Override
  public MemoryLimits memory() {
    return MemoryLimits.probe();
  }

  @Override
  public HostName hostName() {
    String name = kernelName();
    long start = System.nanoTime();
    // A resolver that does not answer must not hold us up; its thread is left behind.
    CompletableFuture<InetAddress[]> asked = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                asked.complete(InetAddress.getAllByName(name));
              } catch (IOException e) {
                asked.completeExceptionally(e);
              }
            });
    InetAddress[] addresses = {};
    try {
      addresses = asked.get(NAME_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      addresses = new InetAddress[0];
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return new HostName(
        name,
        Arrays.stream(addresses).map(InetAddress::getHostAddress).toList(),
        Arrays.stream(addresses).allMatch(InetAddress::isLoopbackAddress),
        (System.nanoTime() - start) / 1e9);
  }

  private static String kernelName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
    } catch (IOException e) {
      return Optional.ofNullable(System.getenv("HOSTNAME")).orElse("localhost");
    }
  }

  @Override
  public List<NetworkFace> networkFaces() {
    List<NetworkFace> faces = new ArrayList<>();
    try {
      for (NetworkInterface face : NetworkInterface.networkInterfaces().toList()) {
        if (face.isUp()) {
          faces.add(
              new NetworkFace(
                  face.getName(),
                  face.isLoopback(),
                  face.inetAddresses().anyMatch(Inet4Address.class::isInstance),
                  face.inetAddresses().anyMatch(Inet6Address.class::isInstance)));
        }
      }
    } catch (SocketException e) {
      return List.of();
    }
    return faces;
  }

  @Override
  public GpuFacts gpus() {
    if (gpus == null) {
      gpus = GpuFacts.ask(limit);
    }
    return gpus;
  }

  @Override
  public NvshmemFacts nvshmem() {
    if (nvshmem == null) {
      List<String> arguments = new ArrayList<>(List.of(Probe.NVSHMEM));
      nvshmemPlace.map(Path::toString).ifPresent(arguments::add);
      nvshmem =
          NvshmemFacts.parse(new ChildProcess(limit).runJava(Probe.class.getName(), arguments));
    }
    return nvshmem;
  }

  @Override
  public ChildOutcome ring(Backend backend, int pes) {
    return new ChildProcess(limit)
        .runJava(
            Main.class.getName(),
            List.of(
                "ring",
                "--pes",
                Integer.toString(pes),
                "--backend",
                backend.name().toLowerCase(Locale.ROOT)));
  }
}
