// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.MemoryGroup;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.launch.WorkerCluster;
import io.symshuffle.benchmarks.launch.WorkerCluster.Worker;
import io.symshuffle.benchmarks.report.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** Standalone clusters on several {@link Hosts}, with two executors of one core on each. */
final class HostsSite extends LocalSite {
  private static final int EXECUTORS = 2;
  private static final int MEMORY_GIB = 3;

  /**
   * Shows the executors of a host a folder of their own, which this machine sees below that of all
   * heaps. Arguments: both folders, and the command of a worker.
   */
  private static final String OWN_HEAPS =
      "umount /dev/shm && mount --bind \"$1\" \"$0\" && shift && exec \"$@\"";

  private final SparkRuntime runtime;
  private final int count;

  HostsSite(SparkRuntime runtime, int count) {
    super(runtime, REFERENCE);
    this.runtime = runtime;
    this.count = count;
  }

  @Override
  public String where() {
    return "standalone, %d hosts with %d executors of one core each".formatted(count, EXECUTORS);
  }

  @Override
  public ChaosRound round(long number) {
    return ChaosRound.onHosts(number);
  }

  /** Executors are children of workers, which are children of this process. */
  @Override
  public Optional<MemoryGroup> memoryGroup() {
    return Optional.empty();
  }

  @Override
  public Target start(
      String name,
      Map<String, String> settings,
      Optional<MemoryGroup> group,
      Path folder,
      Console console) {
    Path own = folder.resolveSibling(name + "-cluster");
    Path heaps = Path.of(settings.get("spark.symshuffle.heap.dir"));
    Hosts hosts = Hosts.create(own.resolveSibling(name + "-hosts"), count);
    try {
      List<Worker> workers =
          IntStream.range(0, count).mapToObj(host -> worker(hosts, host, heaps, own)).toList();
      WorkerCluster cluster = WorkerCluster.start(runtime, own, hosts.outside(), workers, console);
      return new Target(
          application(
              spec(name, cluster.master(), onHosts(settings, hosts), folder), cluster, console),
          cluster::executors,
          own,
          () -> {
            cluster.close();
            hosts.close();
            IntStream.range(0, count).forEach(host -> deleteEmpty(heapsOf(heaps, host)));
          });
    } catch (RuntimeException e) {
      hosts.close();
      throw e;
    }
  }

  private Map<String, String> onHosts(Map<String, String> settings, Hosts hosts) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(hosts.driverSettings());
    all.put("spark.executor.cores", "1");
    all.put("spark.cores.max", Integer.toString(count * EXECUTORS));
    return all;
  }

  /** Starts an application on a cluster, or closes the cluster. */
  private Application application(ApplicationSpec spec, WorkerCluster cluster, Console console) {
    try {
      return Application.start(spec, runtime, console);
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private static Worker worker(Hosts hosts, int host, Path heaps, Path own) {
    Path heapsOfHost = heapsOf(heaps, host);
    try {
      Files.createDirectories(heapsOfHost);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create " + heapsOfHost, e);
    }
    return new Worker(
        hosts.on(
            host,
            List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                OWN_HEAPS,
                heaps.toString(),
                heapsOfHost.toString())),
        hosts.address(host),
        OptionalInt.empty(),
        EXECUTORS,
        MEMORY_GIB,
        Map.of("SPARK_LOCAL_DIRS", localFolders(own.resolve("local" + host))));
  }

  private static Path heapsOf(Path heaps, int host) {
    return heaps.resolve("host" + host);
  }

  /** What is in the folder counts as a leak. */
  private static void deleteEmpty(Path folder) {
    try {
      Files.deleteIfExists(folder);
    } catch (DirectoryNotEmptyException e) {
      // Counted later.
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + folder, e);
    }
  }
}
