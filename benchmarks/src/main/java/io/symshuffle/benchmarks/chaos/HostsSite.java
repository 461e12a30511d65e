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

/**
 * Standalone clusters on several {@link Hosts}, with two executors of one core on each. The hosts
 * may be pods of one node. Each has its own disks, at the same path.
 */
final class HostsSite extends LocalSite {
  private static final int EXECUTORS = 2;
  private static final int MEMORY_GIB = 3;

  /**
   * Shows the executors of a host their own folders for heaps and on disk, which this machine sees
   * elsewhere. Arguments: both folders for heaps, both on disk, and the command of a worker.
   */
  private static final String OWN_FOLDERS =
      "umount /dev/shm && mount --bind \"$1\" \"$0\" && mount --bind \"$3\" \"$2\" && shift 3"
          + " && exec \"$@\"";

  private final SparkRuntime runtime;
  private final int count;
  private final boolean pods;

  /**
   * @param pods whether the hosts are pods of one node, which share a folder for heaps but not
   *     their disks
   */
  HostsSite(SparkRuntime runtime, int count, boolean pods) {
    super(runtime, REFERENCE);
    this.runtime = runtime;
    this.count = count;
    this.pods = pods;
  }

  @Override
  public String where() {
    return "standalone, %d %s with %d executors of one core each"
        .formatted(count, pods ? "pods of one node" : "hosts", EXECUTORS);
  }

  @Override
  public ChaosRound round(long number) {
    return pods ? ChaosRound.onPods(number) : ChaosRound.onHosts(number);
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
    Path disks = folder.resolveSibling(name + "-disks");
    Path heaps = Path.of(settings.get("spark.symshuffle.heap.dir"));
    Hosts hosts = Hosts.create(own.resolveSibling(name + "-hosts"), count);
    try {
      List<Worker> workers =
          IntStream.range(0, count).mapToObj(host -> worker(hosts, host, heaps, disks)).toList();
      WorkerCluster cluster = WorkerCluster.start(runtime, own, hosts.outside(), workers, console);
      return new Target(
          application(
              spec(name, cluster.master(), onHosts(settings, hosts), folder), cluster, console),
          cluster::executors,
          disks,
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

  private Worker worker(Hosts hosts, int host, Path heaps, Path disks) {
    Path heapsOfHost = heapsOf(heaps, host);
    Path disk = disks.resolve("own");
    Path diskOfHost = disks.resolve("host" + host);
    try {
      Files.createDirectories(heapsOfHost);
      Files.createDirectories(disk);
      Files.createDirectories(diskOfHost);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create folders of host " + host, e);
    }
    return new Worker(
        hosts.on(
            host,
            List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                OWN_FOLDERS,
                heaps.toString(),
                heapsOfHost.toString(),
                disk.toString(),
                diskOfHost.toString())),
        hosts.address(host),
        OptionalInt.empty(),
        EXECUTORS,
        MEMORY_GIB,
        Map.of("SPARK_LOCAL_DIRS", localFolders(disk)));
  }

  private Path heapsOf(Path heaps, int host) {
    return heaps.resolve("host" + (pods ? 0 : host));
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
