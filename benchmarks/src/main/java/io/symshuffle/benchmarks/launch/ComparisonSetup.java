// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.launch.WorkerCluster.Worker;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Machine;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.ExpertSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The applications of a comparison: on CPUs, or each on its own cluster over the same GPUs, with
 * the RAPIDS Accelerator; on this machine or on hosts; at once or one at a time.
 *
 * @param cluster the options for where and how applications run
 * @param starts the options for which applications run at once
 * @param settings Spark settings that the benchmark needs
 */
public record ComparisonSetup(
    ClusterOptions cluster,
    GpuOptions gpus,
    HostOptions hosts,
    StartOptions starts,
    Map<String, String> settings) {
  private static final int MEMORY_GIB = 1024; // a worker does not check it, and does not use it

  /**
   * Checks the options, and that this machine has the GPUs and can have the hosts, before anything
   * is started.
   *
   * @param out folder of all results; asked for if executors run on hosts
   * @throws CliException if one is invalid, or there are too few GPUs
   */
  public void check(Supplier<Path> out) {
    checkOptions();
    hosts.checkVisible(out);
    gpus.checkVisible(hosts);
    if (choices().contains(ManagerChoice.RAPIDS_UCX)) {
      Ucx.check(Ucx.folders());
    }
    gpus.checkMachine();
    hosts.checkMachine();
    groups().forEach(group -> gpus.memory(group, executorsPerGpu(), cluster.settings()));
  }

  void checkOptions() {
    cluster.limit();
    cluster.checkLocalFolders(!gpus.areUsed() && (hosts.areUsed() || cluster.master().isLocal()));
    gpus.checkValues();
    hosts.checkValues(gpus.areUsed());
    starts.check();
    for (ManagerChoice choice : choices()) {
      if (choice.needsRapids() && gpus.jar().isEmpty()) {
        throw CliException.wrongUsage(choice.label() + " needs RAPIDS: add --rapids JAR.");
      }
    }
    if (hosts.areUsed() && cluster.hasMaster()) {
      throw CliException.wrongUsage("--hosts starts its own cluster: omit --master.");
    }
    cluster.checkSettings(choices());
    cluster.master().executor(cluster.settings());
    cluster.checkComet(choices());
  }

  /** Returns the managers to compare, baseline first. */
  public List<ManagerChoice> choices() {
    if (gpus.jar().isPresent()) {
      return cluster.managers(ManagerChoice.underRapids());
    }
    return hosts.areUsed() ? cluster.managers(ManagerChoice.onHosts()) : cluster.managers();
  }

  /** Returns their names. */
  public List<String> labels() {
    return choices().stream().map(ManagerChoice::label).toList();
  }

  /** Returns the managers whose applications run at once, group after group. */
  public List<List<ManagerChoice>> groups() {
    return starts.oneAtATime() ? choices().stream().map(List::of).toList() : List.of(choices());
  }

  /** Describes where they run, for reports. */
  public String where() {
    if (!hosts.areUsed()) {
      return gpus.areUsed()
          ? "standalone, %s, %d cores each".formatted(gpus.text(), gpus.worker().cores())
          : cluster.master().url();
    }
    String all = "standalone, %d hosts".formatted(hosts.count());
    if (!gpus.areUsed()) {
      int cores = hosts.coresPerHost();
      return "%s with %d core%s each".formatted(all, cores, cores == 1 ? "" : "s");
    }
    String numbers =
        gpusOfHosts().stream()
            .map(each -> each.stream().map(String::valueOf).collect(Collectors.joining("+")))
            .collect(Collectors.joining(", "));
    return "%s with GPU %s, %d cores for each executor".formatted(all, numbers, worker().cores());
  }

  /**
   * Returns the managers without our plugin whose files are where {@link Folders#lackJournal
   * creating files is slow}, so that they are slower than elsewhere.
   *
   * @param out folder of all results
   */
  public List<String> onSlowFiles(Path out) {
    Path folder = cluster.localFolders().map(all -> Path.of(all.split(",", 2)[0])).orElse(out);
    return Folders.lackJournal(folder)
        ? choices().stream()
            .filter(choice -> !choice.needsPlugin() && !choice.setsLocalFolder())
            .map(ManagerChoice::label)
            .toList()
        : List.of();
  }

  /**
   * Starts the applications of a group.
   *
   * @param group managers of applications that run at once
   * @param logs parent folder of the applications' and clusters' folders
   * @throws CliException if one does not start; all are ended then
   */
  public Fleet start(List<ManagerChoice> group, SparkRuntime runtime, Path logs, Console console) {
    Fleet fleet = new Fleet(runtime, cluster.limit(), console);
    try {
      if (hosts.areUsed()) {
        hosts.checkVisible(runtime::sparkJars);
        hosts.checkVisible(SparkRuntime::javaHome);
        fleet.add(hosts.create(logs.resolve("hosts")));
      }
      if (gpus.areUsed()) {
        startOnGpus(group, fleet, runtime, logs, console);
      } else {
        startOnCpus(group, fleet, runtime, logs, console);
      }
      return fleet;
    } catch (RuntimeException e) {
      fleet.close();
      throw e;
    }
  }

  /**
   * All applications start at once. On hosts, those with the same local folders share a cluster.
   */
  private void startOnCpus(
      List<ManagerChoice> group, Fleet fleet, SparkRuntime runtime, Path logs, Console console) {
    Map<Optional<String>, SparkMaster> masters = new HashMap<>();
    for (ManagerChoice choice : group) {
      Optional<String> locals = cluster.localFolders(choice);
      if (fleet.hosts().isPresent() && !masters.containsKey(locals)) {
        Path folder = logs.resolve("cluster" + masters.size());
        Hosts places = fleet.hosts().get();
        WorkerCluster workers =
            WorkerCluster.start(
                runtime,
                folder,
                places.outside(),
                workersOnCpus(group.size(), places, folder, locals),
                console);
        fleet.add(workers);
        masters.put(locals, workers.master());
      }
      SparkMaster where = masters.getOrDefault(locals, cluster.master());
      fleet.launch(application(choice, where, placeSettings(fleet), logs));
    }
    fleet.awaitReady();
  }

  /**
   * Applications start in sequence, each on its own cluster, so that the executors of one allocate
   * their share of GPU memory before those of the next one check what is free.
   */
  private void startOnGpus(
      List<ManagerChoice> group, Fleet fleet, SparkRuntime runtime, Path logs, Console console) {
    List<Map<String, String>> memory = gpus.memory(group, executorsPerGpu(), cluster.settings());
    for (int i = 0; i < group.size(); i++) {
      Path folder = logs.resolve("cluster" + choices().indexOf(group.get(i)));
      WorkerCluster workers =
          fleet
              .hosts()
              .map(
                  places ->
                      WorkerCluster.start(
                          runtime,
                          folder,
                          places.outside(),
                          workersOnGpus(places, folder),
                          console))
              .orElseGet(
                  () ->
                      WorkerCluster.onGpus(
                          runtime,
                          folder,
                          WorkerCluster.turns(gpus.count(), gpus.count()),
                          gpus.worker(),
                          cluster.localFolders(),
                          console));
      fleet.add(workers);
      Map<String, String> more = placeSettings(fleet);
      more.putAll(memory.get(i));
      fleet.launch(application(group.get(i), workers.master(), more, logs));
      fleet.awaitReady();
    }
  }

  /** A worker per host, which offers the cores of the host to each application. */
  private List<Worker> workersOnCpus(
      int applications, Hosts places, Path folder, Optional<String> locals) {
    List<Integer> cpus = Machine.cpus();
    return IntStream.range(0, places.count())
        .mapToObj(
            host ->
                new Worker(
                    places.on(
                        host,
                        List.of("taskset", "-c", cpusOfHost(host, hosts.coresPerHost(), cpus))),
                    places.address(host),
                    OptionalInt.empty(),
                    applications * hosts.coresPerHost(),
                    MEMORY_GIB,
                    WorkerCluster.localFolders(folder.resolve("local" + host), locals)))
        .toList();
  }

  /** Returns the numbers of a host's CPUs, neighbors as long as this machine has enough. */
  static String cpusOfHost(int host, int cores, List<Integer> cpus) {
    return IntStream.range(host * cores, (host + 1) * cores)
        .mapToObj(i -> cpus.get(i % cpus.size()).toString())
        .collect(Collectors.joining(","));
  }

  /** A worker per GPU of each host, which sees all GPUs of its host and no other ones. */
  private List<Worker> workersOnGpus(Hosts places, Path folder) {
    List<List<Integer>> numbers = gpusOfHosts();
    List<Worker> workers = new ArrayList<>();
    for (int host = 0; host < places.count(); host++) {
      Map<String, String> environment =
          new LinkedHashMap<>(
              WorkerCluster.localFolders(folder.resolve("local" + host), cluster.localFolders()));
      environment.put(
          "CUDA_VISIBLE_DEVICES",
          numbers.get(host).stream().map(String::valueOf).collect(Collectors.joining(",")));
      for (int gpu = 0; gpu < numbers.get(host).size(); gpu++) {
        workers.add(
            new Worker(
                places.on(host, List.of()),
                places.address(host),
                OptionalInt.of(gpu),
                worker().cores(),
                worker().memoryGiB(),
                environment));
      }
    }
    return workers;
  }

  /** Returns the settings that the place of the executors needs. */
  private Map<String, String> placeSettings(Fleet fleet) {
    return placeSettings(fleet.hosts().map(Hosts::driverSettings).orElse(Map.of()));
  }

  /** The same with the settings with which hosts reach the driver. */
  Map<String, String> placeSettings(Map<String, String> driver) {
    Map<String, String> all = new LinkedHashMap<>(driver);
    if (gpus.areUsed()) {
      all.putAll(gpus.settings(executors()));
    } else if (hosts.areUsed()) {
      all.put("spark.executor.cores", Integer.toString(hosts.coresPerHost()));
      all.put("spark.cores.max", Integer.toString(hosts.count() * hosts.coresPerHost()));
    }
    if (gpus.areUsed() && hosts.areUsed()) {
      // Heaps of NVSHMEM serve the executors of one machine.
      all.put("spark.symshuffle.device.backend", "cuda");
    }
    return all;
  }

  /** Returns the application of a manager, with settings in addition to those of the benchmark. */
  ApplicationSpec application(
      ManagerChoice choice, SparkMaster where, Map<String, String> more, Path logs) {
    Map<String, String> all = new LinkedHashMap<>(more);
    all.putAll(settings);
    if (choice == ManagerChoice.RAPIDS_UCX) {
      // RAPIDS' messages between driver and executors are only found on the class path.
      gpus.jar()
          .ifPresent(
              jar -> all.put("spark.executor.extraClassPath", jar.toAbsolutePath().toString()));
    }
    return cluster.application(choice, where, all, gpus.jar().stream().toList(), logs);
  }

  /** Returns the {@link ExpertSettings} of all applications, by key, for reports. */
  public Map<String, String> expertSettings() {
    boolean own = gpus.areUsed() || hosts.areUsed();
    Map<String, String> all =
        new TreeMap<>(
            application(
                    choices().getFirst(),
                    own ? new SparkMaster("spark://own") : cluster.master(),
                    placeSettings(Map.of()),
                    Path.of(""))
                .settings());
    all.keySet().retainAll(ExpertSettings.KEYS);
    return all;
  }

  private GpuWorker worker() {
    return gpus.worker(executors());
  }

  private int executors() {
    return hosts.areUsed() ? gpusOfHosts().stream().mapToInt(List::size).sum() : gpus.count();
  }

  private int executorsPerGpu() {
    if (!gpus.areUsed() || !hosts.areUsed()) {
      return 1;
    }
    List<Integer> all = gpusOfHosts().stream().flatMap(List::stream).toList();
    return all.stream().mapToInt(gpu -> Collections.frequency(all, gpu)).max().orElse(1);
  }

  private List<List<Integer>> gpusOfHosts() {
    return hosts.gpus(gpus.count());
  }
}
