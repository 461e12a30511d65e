// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.faults.FaultSpec;
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
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Standalone clusters on several {@link Hosts}, with two executors of one core on each. The hosts
 * may be pods of one node, and have their own users, limits and versions. Each has its own disks,
 * at the same path.
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

  /**
   * Starts a worker as another user, who owns the worker's folders. Arguments: the user, the folder
   * on disk, the folder for work, and the command.
   */
  private static final String OWN_USER =
      "mkdir -p \"$2\" && chown \"$0:$0\" \"$1\" \"$2\" && user=$0 && shift 2"
          + " && exec setpriv --reuid=$user --regid=$user --clear-groups \"$@\"";

  /** Users of the system, who have names: Hadoop requires one. Root has 0. */
  private static final int USERS = 10;

  /** Enough for the jars and connections of an executor. */
  private static final int DESCRIPTORS = 300;

  private static final Set<PosixFilePermission> EVERYBODY =
      PosixFilePermissions.fromString("rwxrwxrwx");

  /** Where each host sees its disk. */
  private static final String OWN_DISK = "own";

  private static final String OTHER_JARS = "jars";

  private final SparkRuntime runtime;
  private final int count;
  private final boolean pods;
  private final Set<Own> own;
  private final Optional<Path> otherJar;

  /** What the executors of a host have that others do not. */
  enum Own {
    USERS,
    LIMITS
  }

  /**
   * @param pods whether the hosts are pods of one node, which share a folder for heaps but not
   *     their disks
   * @param otherJar the jar of the first host, if it has another version
   */
  HostsSite(SparkRuntime runtime, int count, boolean pods, Set<Own> own, Optional<Path> otherJar) {
    super(runtime, REFERENCE);
    this.runtime = runtime;
    this.count = count;
    this.pods = pods;
    this.own = Set.copyOf(own);
    this.otherJar = otherJar;
  }

  @Override
  public String where() {
    return "standalone, %d %s with %d executors of one core each, own: %s%s"
        .formatted(
            count,
            pods ? "pods of one node" : "hosts",
            EXECUTORS,
            own,
            otherJar.isPresent() ? ", another jar on the first" : "");
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
    Path clusterFolder = folder.resolveSibling(name + "-cluster");
    Path disks = folder.resolveSibling(name + "-disks");
    Path heaps = Path.of(settings.get("spark.symshuffle.heap.dir"));
    letEverybodyWrite(FaultSpec.parse(settings.get(FaultSpec.KEY)));
    Hosts hosts = Hosts.create(folder.resolveSibling(name + "-hosts"), count);
    try {
      List<Worker> workers =
          IntStream.range(0, count)
              .mapToObj(host -> worker(hosts, host, heaps, disks, clusterFolder))
              .toList();
      WorkerCluster cluster =
          WorkerCluster.start(runtime, clusterFolder, hosts.outside(), workers, console);
      return new Target(
          application(
              spec(name, cluster.master(), onHosts(settings, hosts, disks), folder),
              cluster,
              console),
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

  private Map<String, String> onHosts(Map<String, String> settings, Hosts hosts, Path disks) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(hosts.driverSettings());
    // Only the first host has this folder, whose classes win over those of the application's jars.
    all.put(
        "spark.executor.extraClassPath",
        disks.resolve(OWN_DISK).resolve(OTHER_JARS).resolve("*").toString());
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

  private Worker worker(Hosts hosts, int host, Path heaps, Path disks, Path cluster) {
    Path heapsOfHost = heapsOf(heaps, host);
    Path disk = disks.resolve(OWN_DISK);
    Path diskOfHost = disks.resolve("host" + host);
    try {
      Files.createDirectories(heapsOfHost);
      Files.createDirectories(disk);
      Files.createDirectories(diskOfHost);
      if (host == 0 && otherJar.isPresent()) {
        Path jars = Files.createDirectories(diskOfHost.resolve(OTHER_JARS));
        Files.copy(otherJar.get(), jars.resolve("other.jar"));
        // Faults must see the classes that they wrap.
        Files.copy(runtime.benchmarksJar(), jars.resolve("faults.jar"));
      }
      if (own.contains(Own.USERS)) {
        Files.setPosixFilePermissions(heapsOfHost, EVERYBODY);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create folders of host " + host, e);
    }
    List<String> prefix = new ArrayList<>(List.of("unshare", "--mount", "sh", "-c", OWN_FOLDERS));
    Stream.of(heaps, heapsOfHost, disk, diskOfHost).map(Path::toString).forEach(prefix::add);
    if (own.contains(Own.LIMITS) && host % 2 == 1) {
      prefix.addAll(List.of("prlimit", "--nofile=" + DESCRIPTORS));
    }
    if (own.contains(Own.USERS)) {
      prefix.addAll(List.of("sh", "-c", OWN_USER, Integer.toString(1 + host % USERS)));
      prefix.add(disk.toString());
      prefix.add(WorkerCluster.workFolder(cluster, host).toString());
    }
    return new Worker(
        hosts.on(host, prefix),
        hosts.address(host),
        OptionalInt.empty(),
        EXECUTORS,
        MEMORY_GIB,
        Map.of("SPARK_LOCAL_DIRS", localFolders(disk)));
  }

  /** Lets executors of all users report. */
  private void letEverybodyWrite(FaultSpec faults) {
    if (own.contains(Own.USERS)) {
      try {
        Path log = Files.createFile(faults.log().orElseThrow());
        Path history = Files.createDirectories(faults.history().orElseThrow());
        Files.setPosixFilePermissions(log, EVERYBODY);
        Files.setPosixFilePermissions(history, EVERYBODY);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot create the log of faults or the history", e);
      }
    }
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
