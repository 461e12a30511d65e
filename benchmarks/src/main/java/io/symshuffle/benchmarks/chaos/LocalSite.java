// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.Configuration;
import io.symshuffle.benchmarks.launch.MemoryGroup;
import io.symshuffle.benchmarks.launch.SparkMaster;
import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.report.Console;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Executors of a {@code local-cluster} with host heaps. */
class LocalSite implements ChaosSite {
  /** Where the answers that are right are computed. */
  static final SparkMaster REFERENCE = new SparkMaster("local[1]");

  private static final int QUERIES = 44;

  /** What does not fit into heaps is spread over so many. */
  private static final int LOCAL_FOLDERS = 3;

  private final SparkRuntime runtime;
  private final SparkMaster master;

  LocalSite(SparkRuntime runtime, SparkMaster master) {
    this.runtime = runtime;
    this.master = master;
  }

  @Override
  public String where() {
    return master.url();
  }

  @Override
  public ChaosRound round(long number) {
    return ChaosRound.number(number);
  }

  @Override
  public List<String> queries(Random random) {
    return new ChaosQueries(random).pool(QUERIES);
  }

  @Override
  public ApplicationSpec reference(Path folder) {
    Map<String, String> settings = new LinkedHashMap<>(Map.of("spark.shuffle.manager", "sort"));
    settings.put("spark.sql.shuffle.partitions", "4");
    return new ApplicationSpec("sort", REFERENCE, "1g", settings, false, List.of(), folder);
  }

  @Override
  public Optional<MemoryGroup> memoryGroup() {
    return MemoryGroup.create();
  }

  @Override
  public boolean mayFailCalls() {
    return true;
  }

  @Override
  public Target start(
      String name,
      Map<String, String> settings,
      Optional<MemoryGroup> group,
      Path folder,
      Console console) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.put("spark.local.dir", localFolders(folder));
    Application application =
        Application.start(spec(name, master, all, folder), runtime, group, console);
    return new Target(application, application::executors, folder, () -> {});
  }

  /** An application of SymShuffle. */
  static ApplicationSpec spec(
      String name, SparkMaster master, Map<String, String> settings, Path folder) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(Configuration.named("symshuffle").settings());
    return new ApplicationSpec(name, master, "1g", all, true, List.of(), folder);
  }

  static String localFolders(Path folder) {
    return IntStream.range(0, LOCAL_FOLDERS)
        .mapToObj(number -> folder.resolve("local" + number).toString())
        .collect(Collectors.joining(","));
  }

  @Override
  public Optional<String> objection(Application application) {
    return Optional.empty();
  }

  @Override
  public long gpuBytes() {
    return 0;
  }
}
