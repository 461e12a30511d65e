// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.GpuShare;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ComparisonSetupTest {
  private static final SparkMaster MASTER = new SparkMaster("spark://127.0.0.1:7077");

  private static final Map<String, String> DRIVER = Map.of("spark.driver.host", "10.79.0.1");

  @Command
  private static final class Options {
    @Mixin final ClusterOptions cluster = new ClusterOptions("sort", "symshuffle");
    @Mixin final GpuOptions gpus = new GpuOptions();
    @Mixin final HostOptions hosts = new HostOptions();
  }

  private static ComparisonSetup setup(String... arguments) {
    Options options = new Options();
    TestCommandLine.of(options).parseArgs(arguments);
    return new ComparisonSetup(options.cluster, options.gpus, options.hosts, Map.of());
  }

  @Test
  void comparesWithTheStrongestRivalsOfThePlaceByDefault() {
    assertEquals(List.of("sort", "symshuffle"), names());
    assertEquals(List.of("sort", "sort-zstd", "symshuffle"), names("--hosts", "2"));
    List<String> onGpus = List.of("rapids-nvidia-profile", "rapids-symshuffle");
    assertEquals(onGpus, names("--rapids=jar"));
    assertEquals(onGpus, names("--rapids=jar", "--gpus=1", "--hosts=2"));
  }

  private static List<String> names(String... arguments) {
    return setup(arguments).configurations().stream().map(Configuration::name).toList();
  }

  @Test
  void comparesWithAnyConfigurationOfTheUser(@TempDir Path folder) throws IOException {
    Path mine = folder.resolve("mine.conf");
    Files.writeString(
        mine, "# a comment\nspark.shuffle.manager  sort\nspark.local.dir=/dev/shm/a,/b\n");
    ComparisonSetup setup = setup("--managers", "sort," + mine, "--conf=spark.local.dir=/c");
    setup.checkOptions();
    Configuration last = setup.configurations().getLast();
    assertEquals("mine", last.name());
    ApplicationSpec spec = setup.application(last, MASTER, Map.of(), Path.of("logs"));
    assertEquals("/dev/shm/a,/b", spec.settings().get("spark.local.dir"));
    assertEquals("sort", spec.settings().get("spark.shuffle.manager"));
    assertEquals("0s", spec.settings().get("spark.locality.wait"), "as an expert sets it");
    assertFalse(spec.plugin());
    assertEquals(
        List.of(Optional.of("/c"), Optional.of("/dev/shm/a,/b")),
        setup.configurations().stream().map(setup.cluster()::localFolders).toList());
    assertEquals(
        List.of(), setup.onSlowFiles(Path.of("/")).stream().filter("mine"::equals).toList());
  }

  /** A folder with the files of a build of Celeborn. */
  private static Path celeborn(Path build) throws IOException {
    Path jars = Files.createDirectories(build.resolve("jars"));
    for (String jar : List.of("master", "worker", "common")) {
      Files.createFile(jars.resolve("celeborn-" + jar + "_2.13-1.0.0.jar"));
    }
    return Files.createFile(build.resolve("celeborn-client-spark-4-shaded_2.13-1.0.0.jar"))
        .getParent();
  }

  @Test
  void saysWhatABuildOfCelebornLacks(@TempDir Path folder) throws IOException {
    Path build = celeborn(folder);
    String[] options = {"--managers", "sort,celeborn", "--celeborn", build.toString()};
    setup(options).checkOptions();
    Files.delete(build.resolve("jars/celeborn-worker_2.13-1.0.0.jar"));
    assertRefused(build + " has no jars/celeborn-worker_2.13-<version>.jar", options);
    Files.createFile(build.resolve("jars/celeborn-worker_2.13-1.0.0.jar"));
    Files.delete(build.resolve("celeborn-client-spark-4-shaded_2.13-1.0.0.jar"));
    assertRefused(build + " has no celeborn-client-spark-4-shaded_2.13-<version>.jar", options);
  }

  /** All files of the folder can be read, and their plugins tell what they need. */
  @Test
  void configurationsGetTheJarsThatTheyNeed(@TempDir Path folder) throws IOException {
    Path comet = Files.createFile(folder.resolve("comet.jar"));
    Path celeborn = celeborn(folder.resolve("celeborn"));
    Set<String> withJar = Set.of("comet", "celeborn");
    for (File file : SparkRuntime.home().resolve("conf/comparison").toFile().listFiles()) {
      String name = file.getName().replace(".conf", "");
      ComparisonSetup setup =
          name.startsWith("rapids")
              ? setup("--managers", name, "--rapids=rapids.jar", "--gpus=1")
              : name.equals("comet")
                  ? setup("--managers", name, "--comet", comet.toString())
                  : name.equals("celeborn")
                      ? setup("--managers", name, "--celeborn", celeborn.toString())
                      : setup("--managers", name);
      ApplicationSpec spec =
          setup.application(setup.configurations().getFirst(), MASTER, Map.of(), Path.of("logs"));
      assertEquals(name.contains("symshuffle"), spec.plugin(), name);
      assertEquals(
          name.startsWith("rapids") || withJar.contains(name) ? 1 : 0, spec.jars().size(), name);
      assertEquals(
          name.equals("rapids-ucx"),
          spec.settings().containsKey("spark.executor.extraClassPath"),
          "UCX is set up in the executors alone");
    }
  }

  /** Of 100 GiB, CUDA takes 2; a device heap takes 30 % of the rest, from RAPIDS' pool. */
  @Test
  void applicationsWithDeviceHeapsHaveSmallerPools() {
    String pool = "spark.rapids.memory.gpu.allocSize";
    String heap = "spark.symshuffle.device.heap.size";
    GpuShare share = GpuShare.parse("0.3");
    long free = 100L << 30;
    assertEquals(Map.of(pool, "100352m"), GpuOptions.memory(free, Optional.empty(), share, false));
    assertEquals(
        Map.of(pool, "70246m", heap, "30105m"),
        GpuOptions.memory(free, Optional.empty(), share, true));
    assertEquals(
        Map.of(pool, "8192m", heap, "30105m"),
        GpuOptions.memory(free, Optional.of(ByteSize.parse("8g")), share, true));
  }

  @Test
  void everyManagerHasTheSettingsOfAnExpert() {
    ComparisonSetup setup = setup("--rapids=jar", "--gpus=4", "--gpu-cores=16");
    List<Map<String, String>> all =
        setup.configurations().stream()
            .map(
                each ->
                    setup
                        .application(each, MASTER, setup.placeSettings(Map.of()), Path.of("logs"))
                        .settings())
            .toList();
    for (Map<String, String> settings : all) {
      assertTrue(settings.entrySet().containsAll(setup.expertSettings().entrySet()));
    }
    Map<String, String> expert = new HashMap<>(setup.expertSettings());
    assertTrue(expert.remove("spark.rapids.memory.pinnedPool.size").endsWith("g"));
    assertEquals(
        Map.of(
            "spark.executor.defaultJavaOptions",
            "-Xms12288m -XX:ParallelGCThreads=8",
            "spark.locality.wait",
            "0s",
            "spark.rapids.sql.concurrentGpuTasks",
            "4",
            "spark.sql.files.maxPartitionBytes",
            "256m",
            "spark.sql.shuffle.partitions",
            "128"),
        expert);
  }

  @Test
  void settingsOfTheUserWinOverThoseOfAnExpert() {
    Map<String, String> settings =
        setup(
                "--rapids=jar",
                "--gpus=1",
                "--conf=spark.executor.memory=6g",
                "--conf=spark.executor.cores=2",
                "--conf=spark.sql.files.maxPartitionBytes=1g")
            .expertSettings();
    assertEquals(
        "-Xms4096m -XX:ParallelGCThreads=2", settings.get("spark.executor.defaultJavaOptions"));
    assertEquals("1g", settings.get("spark.sql.files.maxPartitionBytes"));
    assertEquals(
        "-Xint",
        setup("--conf=spark.executor.defaultJavaOptions=-Xint")
            .expertSettings()
            .get("spark.executor.defaultJavaOptions"));
    assertRefused("spark.executor.memory is 1x", "--conf=spark.executor.memory=1x");
  }

  @Test
  void executorsWithoutGpusHaveTheSettingsOfAnExpert() {
    assertEquals(
        Map.of(
            "spark.executor.defaultJavaOptions",
            "-Xms1365m -XX:ParallelGCThreads=1",
            "spark.locality.wait",
            "0s"),
        setup().expertSettings());
    assertEquals(
        "-Xms682m -XX:ParallelGCThreads=3",
        setup("--hosts=2", "--cores-per-host=3")
            .expertSettings()
            .get("spark.executor.defaultJavaOptions"));
    assertEquals(Map.of(), setup("--master", "local[2]").expertSettings());
  }

  private static void assertRefused(String reason, String... arguments) {
    ComparisonSetup setup = setup(arguments);
    String message = assertThrows(CliException.class, setup::checkOptions).getMessage();
    assertTrue(message.contains(reason), message);
  }

  @Test
  void hostsDivideGpusOrShareThem() {
    assertEquals("[[0], [1]]", gpus("2", "2"));
    assertEquals("[[0, 1], [2, 3]]", gpus("4", "2"));
    assertEquals("[[0], [1]]", gpus("4", "2", "--gpus-per-host", "1"));
    assertEquals("[[0], [0]]", gpus("1", "2"));
    assertEquals("[[0], [0], [1], [1]]", gpus("2", "4"));
    assertEquals("[[0], [0], [1]]", gpus("2", "3", "--gpus-per-host", "0.5"));
    assertEquals("[[0], [0]]", gpus("2", "2", "--gpus-per-host", "0.5"));
    assertEquals("[[0], [0], [0]]", gpus("1", "3", "--gpus-per-host", "0.3333"));
    assertEquals(
        "2 hosts with 2 GPUs each need 4 GPUs, not 2: choose another --gpus-per-host, or fewer"
            + " hosts.",
        assertThrows(CliException.class, () -> gpus("2", "2", "--gpus-per-host", "2"))
            .getMessage());
  }

  private static String gpus(String gpus, String hosts, String... more) {
    List<String> arguments = new ArrayList<>(List.of("--gpus", gpus, "--hosts", hosts));
    arguments.addAll(List.of(more));
    ComparisonSetup setup = setup(arguments.toArray(String[]::new));
    return setup.hosts().gpus(setup.gpus().count()).toString();
  }

  @Test
  void hostsWithGpusHaveAnExecutorPerGpuOrShareOfOne() {
    ComparisonSetup setup =
        setup("--rapids", "rapids.jar", "--gpus", "1", "--hosts", "2", "--gpu-cores", "6");
    Map<String, String> settings = setup.placeSettings(DRIVER);
    assertEquals("2", settings.get("spark.executor.instances"));
    assertEquals("12", settings.get("spark.cores.max"));
    assertEquals("128", settings.get("spark.sql.shuffle.partitions"));
    assertEquals("10.79.0.1", settings.get("spark.driver.host"));
    assertEquals("cuda", settings.get("spark.symshuffle.device.backend"));
    assertEquals("standalone, 2 hosts with GPU 0, 0, 6 cores for each executor", setup.where());
  }

  @Test
  void hostsWithoutGpusHaveTheirCores() {
    ComparisonSetup setup = setup("--hosts", "3", "--cores-per-host", "2");
    Map<String, String> settings = setup.placeSettings(DRIVER);
    assertEquals("2", settings.get("spark.executor.cores"));
    assertEquals("6", settings.get("spark.cores.max"));
    assertEquals("standalone, 3 hosts with 2 cores each", setup.where());
    assertEquals("standalone, 3 hosts with 1 core each", setup("--hosts", "3").where());
    List<Integer> cpus = List.of(4, 5, 6, 7, 12);
    assertEquals("4,5", ComparisonSetup.cpusOfHost(0, 2, cpus));
    assertEquals("12,4", ComparisonSetup.cpusOfHost(2, 2, cpus));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--managers=sort,rapids-symshuffle; rapids-symshuffle needs RAPIDS: add --rapids JAR.",
        "--managers=sort,sort; --managers names a manager twice: sort,sort.",
        "--managers=sort,fast; Unknown manager 'fast'; choose from celeborn, comet, rapids,",
        "--managers=sort,/no/such.conf; Cannot read settings: /no/such.conf",
        "--managers=sort,comet; comet needs its jar",
        "--managers=comet --comet=/no/such.jar; comet needs its jar",
        "--comet=/no/such.jar; has no effect",
        "--managers=sort,celeborn; celeborn needs a build: add --celeborn DIR",
        "--managers=celeborn --celeborn=/no/such; /no/such has no jars/celeborn-master_",
        "--celeborn=/no/such; has no effect",
        "--managers=celeborn --celeborn=/d --master=spark://h:1; celeborn runs on this machine or"
            + " on",
        "--gpus=0; --gpus",
        "--cores-per-host=2; --cores-per-host has no effect without --hosts N, or with GPUs.",
        "--hosts=2 --gpus=1; --gpus has no effect without --rapids JAR.",
        "--hosts=2 --cores-per-host=0; --cores-per-host is 0; it must be from 1 to",
        "--hosts=1; --hosts is 1; it must be from 2 to 64.",
        "--rate=1gbit; --rate has no effect without --hosts N.",
        "--hosts=2 --rate=1gbit,fast; 'fast' is not a rate: use none, or a number with kbit, mbit"
            + " or gbit.",
        "--hosts=2 --master=local; --hosts starts its own cluster: omit --master.",
        "--hosts=2 --gpus-per-host=1; --gpus-per-host has no effect without --hosts N and GPUs.",
        "--hosts=2 --iproute=/no/such; --iproute: /no/such/bin/ip does not exist.",
      })
  void refusesWrongOptions(String options, String expected) {
    assertRefused(expected, options.split(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--cores-per-host=2; --cores-per-host has no effect without --hosts N",
        "--gpus-per-host=0.7; --gpus-per-host must be a whole number, or the share",
      })
  void refusesWrongOptionsOfHostsWithGpus(String option, String expected) {
    HostOptions hosts = setup("--hosts=2", option).hosts();
    String message = assertThrows(CliException.class, () -> hosts.checkValues(true)).getMessage();
    assertTrue(message.contains(expected), message);
  }

  @Test
  void refusesFoldersThatHostsDoNotSee() {
    ComparisonSetup setup = setup("--hosts", "2");
    assertEquals(
        "The hosts have their own /tmp and /dev/shm: move /tmp/out to another folder.",
        assertThrows(CliException.class, () -> setup.check(() -> Path.of("/tmp/out")))
            .getMessage());
  }

  @Test
  void refusesWrongSettingsOfSymShuffle() {
    for (String setting :
        List.of("spark.symshuffle.heap.size=8", "spark.symshuffle.heap.sise=8g")) {
      String key = setting.substring(0, setting.indexOf('='));
      String message =
          assertThrows(CliException.class, setup("--conf", setting)::checkOptions).getMessage();
      assertTrue(message.startsWith("--conf: " + key), message);
      setup("--managers", "sort", "--conf", setting).checkOptions();
    }
    setup("--conf", "spark.symshuffle.heap.size=8g").checkOptions();
  }
}
