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
 * The applications of a comparison, which run one at a time: on CPUs, or on GPUs with the RAPIDS
 * Accelerator; on this machine or on hosts.
 *
 * @param cluster the options for where and how applications run
 * @param settings Spark settings that the benchmark needs
 */
public record ComparisonSetup(
    ClusterOptions cluster, GpuOptions gpus, HostOptions hosts, Map<String, String> settings) {
  private static final int MEMORY_GIB = 1024; // a worker does not check it, and does not use it
  private static final List<String> UNDER_RAPIDS =
      List.of("rapids-nvidia-profile", "rapids-symshuffle");
  private static final List<String> ON_HOSTS = List.of("sort", "sort-zstd", "symshuffle");

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
    cluster.celeborn().ifPresent(build -> hosts.checkVisible(() -> build));
    gpus.checkVisible(hosts);
    gpus.checkMachine();
    hosts.checkMachine();
  }

  void checkOptions() {
    cluster.limit();
    gpus.checkValues();
    hosts.checkValues(gpus.areUsed());
    List<Configuration> all = configurations();
    for (Configuration configuration : all) {
      if (configuration.needsRapids() && !gpus.areUsed()) {
        throw CliException.wrongUsage(configuration.name() + " needs RAPIDS: add --rapids JAR.");
      }
    }
    if (hosts.areUsed() && cluster.hasMaster()) {
      throw CliException.wrongUsage("--hosts starts its own cluster: omit --master.");
    }
    cluster.check(all);
    cluster.master().executor(cluster.settings());
  }

  /** Returns whether executors are started by the command, on this machine or its hosts. */
  public boolean startsExecutors() {
    return hosts.areUsed() || gpus.areUsed() || cluster.master().cores().isPresent();
  }

  /** Returns what is compared, baseline first. */
  public List<Configuration> configurations() {
    List<String> defaults =
        gpus.areUsed() ? UNDER_RAPIDS : hosts.areUsed() ? ON_HOSTS : cluster.defaults();
    return Configuration.of(cluster.managers().orElse(defaults));
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
   * Returns the names of what runs without our plugin and has its files where {@link
   * Folders#lackJournal creating files is slow}, so that it is slower than elsewhere.
   *
   * @param out folder of all results
   */
  public List<String> onSlowFiles(Path out) {
    return configurations().stream()
        .filter(each -> !each.needsPlugin() && !each.needsCeleborn())
        .filter(
            each ->
                Folders.lackJournal(
                    cluster
                        .localFolders(each)
                        .map(all -> Path.of(all.split(",", 2)[0]))
                        .orElse(out)))
        .map(Configuration::name)
        .toList();
  }

  /**
   * Starts an application, and a cluster and hosts if it needs them.
   *
   * @param logs parent folder of its folder and that of the cluster
   * @throws CliException if one does not start; all are ended then
   */
  public Running start(
      Configuration configuration, SparkRuntime runtime, Path logs, Console console) {
    Optional<Hosts> places = Optional.empty();
    Optional<WorkerCluster> workers = Optional.empty();
    Optional<CelebornService> service = Optional.empty();
    Optional<Application> started = Optional.empty();
    try {
      if (hosts.areUsed()) {
        hosts.checkVisible(runtime::sparkJars);
        hosts.checkVisible(SparkRuntime::javaHome);
        places = Optional.of(hosts.create(logs.resolve("hosts")));
      }
      if (hosts.areUsed() || gpus.areUsed()) {
        workers =
            Optional.of(
                workers(
                    places,
                    runtime,
                    logs.resolve("cluster"),
                    cluster.localFolders(configuration),
                    console));
      }
      Map<String, String> more = placeSettings(places.map(Hosts::driverSettings).orElse(Map.of()));
      more.putAll(gpus.memory(configuration, executorsPerGpu(), cluster.settings()));
      if (configuration.needsCeleborn()) {
        service =
            Optional.of(
                CelebornService.start(
                    cluster.celeborn().orElseThrow(),
                    logs.resolve("celeborn-service"),
                    places.map(Hosts::outside).orElse(WorkerCluster.HERE),
                    celebornWorkers(places),
                    console));
        more.putAll(service.get().settings());
      }
      SparkMaster where = workers.map(WorkerCluster::master).orElseGet(cluster::master);
      started =
          Optional.of(
              Application.start(application(configuration, where, more, logs), runtime, console));
      if (service.isPresent()) {
        started.get().needs(service.get()::loss);
      }
      started.get().awaitReady(cluster.limit());
      return new Running(started.get(), workers, places, service);
    } catch (RuntimeException e) {
      started.ifPresent(Application::close);
      Running.close(workers, places, service);
      throw e;
    }
  }

  private WorkerCluster workers(
      Optional<Hosts> places,
      SparkRuntime runtime,
      Path folder,
      Optional<String> locals,
      Console console) {
    if (places.isEmpty()) {
      List<Integer> each = WorkerCluster.turns(gpus.count(), gpus.count());
      return WorkerCluster.onGpus(runtime, folder, each, gpus.worker(), locals, console);
    }
    Hosts all = places.get();
    return WorkerCluster.start(
        runtime,
        folder,
        all.outside(),
        gpus.areUsed() ? workersOnGpus(all, folder, locals) : workersOnCpus(all, folder, locals),
        console);
  }

  /** A worker per host, which shares its cores with the executors; otherwise one here. */
  private List<CelebornService.Place> celebornWorkers(Optional<Hosts> places) {
    if (places.isEmpty()) {
      return List.of(new CelebornService.Place(List.of(), WorkerCluster.HERE));
    }
    Hosts all = places.get();
    return IntStream.range(0, all.count())
        .mapToObj(host -> new CelebornService.Place(prefix(all, host), all.address(host)))
        .toList();
  }

  /** Returns what runs a command on a host, on its cores unless it has GPUs. */
  private List<String> prefix(Hosts places, int host) {
    return places.on(
        host,
        gpus.areUsed()
            ? List.of()
            : List.of("taskset", "-c", cpusOfHost(host, hosts.coresPerHost(), Machine.cpus())));
  }

  /** A worker per host with its cores. */
  private List<Worker> workersOnCpus(Hosts places, Path folder, Optional<String> locals) {
    return IntStream.range(0, places.count())
        .mapToObj(
            host ->
                new Worker(
                    prefix(places, host),
                    places.address(host),
                    OptionalInt.empty(),
                    hosts.coresPerHost(),
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
  private List<Worker> workersOnGpus(Hosts places, Path folder, Optional<String> locals) {
    List<List<Integer>> numbers = gpusOfHosts();
    List<Worker> workers = new ArrayList<>();
    for (int host = 0; host < places.count(); host++) {
      Map<String, String> environment =
          new LinkedHashMap<>(WorkerCluster.localFolders(folder.resolve("local" + host), locals));
      environment.put(
          "CUDA_VISIBLE_DEVICES",
          numbers.get(host).stream().map(String::valueOf).collect(Collectors.joining(",")));
      for (int gpu = 0; gpu < numbers.get(host).size(); gpu++) {
        workers.add(
            new Worker(
                prefix(places, host),
                places.address(host),
                OptionalInt.of(gpu),
                worker().cores(),
                worker().memoryGiB(),
                environment));
      }
    }
    return workers;
  }

  /**
   * Returns the settings that the place of the executors needs.
   *
   * @param driver those with which hosts reach the driver
   */
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

  /** Returns an application, with settings in addition to those of the benchmark. */
  ApplicationSpec application(
      Configuration configuration, SparkMaster where, Map<String, String> more, Path logs) {
    Map<String, String> all = new LinkedHashMap<>(more);
    all.putAll(settings);
    if (configuration.usesUcx()) {
      // RAPIDS' messages between driver and executors are only found on the class path.
      gpus.jar()
          .ifPresent(
              jar -> all.put("spark.executor.extraClassPath", jar.toAbsolutePath().toString()));
    }
    return cluster.application(configuration, where, all, gpus.jar().stream().toList(), logs);
  }

  /** Returns the {@link ExpertSettings} of all applications, by key, for reports. */
  public Map<String, String> expertSettings() {
    boolean own = gpus.areUsed() || hosts.areUsed();
    Map<String, String> all =
        new TreeMap<>(
            application(
                    configurations().getFirst(),
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
