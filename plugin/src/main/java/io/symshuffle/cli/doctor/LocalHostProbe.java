// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.Main;
import io.symshuffle.cli.pe.Backend;
import io.symshuffle.cli.pe.PeJob;
import io.symshuffle.heap.host.HeapPlace;
import io.symshuffle.heap.host.MemoryLimits;
import io.symshuffle.nvshmem.BootstrapInterface;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.net.InetAddress;
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
final class LocalHostProbe implements HostProbe {
  private static final long MAX_LOOKUP_SECONDS = 10;

  /** After this time a line on standard error says what it waits for. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  /** A ring that is terminated deletes its folder. */
  private static final Duration TIME_TO_END = Duration.ofSeconds(3);

  private static final List<String> CHILD_OPTIONS =
      List.of(
          "-Xmx256m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-Dslf4j.internal.verbosity=ERROR");

  private final Duration limit;
  private final Optional<Path> nvshmemFolder;
  private GpuFacts gpus;
  private NvshmemFacts nvshmem;

  /**
   * Creates the probe; each question is asked when its answer is first needed.
   *
   * @param limit how long each child process may run
   * @param nvshmemFolder the folder of NVSHMEM's libraries, if the user names it
   */
  LocalHostProbe(Duration limit, Optional<Path> nvshmemFolder) {
    this.limit = limit;
    this.nvshmemFolder = nvshmemFolder;
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
    // A resolver that does not answer must not block the doctor; its thread is abandoned.
    CompletableFuture<InetAddress[]> lookup = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                lookup.complete(InetAddress.getAllByName(name));
              } catch (IOException e) {
                lookup.completeExceptionally(e);
              }
            });
    InetAddress[] addresses = {};
    try {
      addresses = lookup.get(MAX_LOOKUP_SECONDS, TimeUnit.SECONDS);
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
  public List<BootstrapInterface> networkLinks() {
    try {
      return BootstrapInterface.here(true);
    } catch (SocketException e) {
      return List.of();
    }
  }

  @Override
  public GpuFacts gpus() {
    if (gpus == null) {
      gpus = GpuFacts.query(limit);
    }
    return gpus;
  }

  @Override
  public NvshmemFacts nvshmem() {
    if (nvshmem == null) {
      List<String> arguments = new ArrayList<>(List.of(ProbeMain.NVSHMEM));
      nvshmemFolder.map(Path::toString).ifPresent(arguments::add);
      nvshmem = NvshmemFacts.parse(runJava(ProbeMain.class, arguments, limit));
    }
    return nvshmem;
  }

  @Override
  public ChildProcess.Result ring(Backend backend, int pes, Path folder) {
    return runJava(
        Main.class,
        List.of(
            "ring",
            "--pes",
            Integer.toString(pes),
            "--backend",
            backend.name().toLowerCase(Locale.ROOT),
            "--folder",
            folder.toString(),
            "--limit",
            Long.toString(PeJob.innerLimit(limit).toSeconds())),
        limit);
  }

  /** Runs a class in a child process, since a library that it loads may crash, exit or hang. */
  static ChildProcess.Result runJava(Class<?> main, List<String> arguments, Duration limit) {
    return ChildProcess.java(CHILD_OPTIONS, main.getName(), arguments)
        .timeToEnd(TIME_TO_END)
        .notice(
            SILENCE,
            () ->
                System.err.printf(
                    "symshuffle: Waiting for the check '%s': %d s so far, at most %d s.%n",
                    String.join(" ", arguments), SILENCE.toSeconds(), limit.toSeconds()))
        .tryRun(limit);
  }
}
