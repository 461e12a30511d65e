// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
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
    @Mixin final StartOptions starts = new StartOptions();
  }

  private static ComparisonSetup setup(String... arguments) {
    Options options = new Options();
    TestCommandLine.of(options).parseArgs(arguments);
    return new ComparisonSetup(
        options.cluster, options.gpus, options.hosts, options.starts, Map.of());
  }

  @Test
  void applicationsRunAtOnceOrEachAlone() {
    assertEquals(List.of(List.of(ManagerChoice.SORT, ManagerChoice.SYMSHUFFLE)), setup().groups());
    ComparisonSetup alone = setup("--one-at-a-time", "--starts", "3");
    alone.checkOptions();
    assertEquals(
        List.of(List.of(ManagerChoice.SORT), List.of(ManagerChoice.SYMSHUFFLE)), alone.groups());
    assertEquals(3, alone.starts().number());
  }

  @Test
  void comparesWithRapidsAtItsStrongestByDefault() {
    List<String> expected = List.of("rapids-nvidia-profile", "rapids-symshuffle");
    assertEquals(expected, setup("--rapids=jar").labels());
    assertEquals(expected, setup("--rapids=jar", "--gpus=1", "--hosts=2").labels());
    Map<String, String> settings = ManagerChoice.RAPIDS_NVIDIA_PROFILE.settings();
    for (String mode : List.of("read", "write")) {
      assertEquals(
          "GPU", settings.get("spark.rapids.shuffle.kudo.serializer.%s.mode".formatted(mode)));
    }
    for (String kind : List.of("reader", "writer")) {
      assertEquals(
          "32", settings.get("spark.rapids.shuffle.multiThreaded.%s.threads".formatted(kind)));
    }
    // RAPIDS merges files as before unless it limits its memory on the host.
    for (String key :
        List.of(
            "spark.rapids.shuffle.multithreaded.skipMerge",
            "spark.rapids.memory.host.offHeapLimit.enabled")) {
      assertEquals("true", ManagerChoice.RAPIDS_NVIDIA_PROFILE_SKIPMERGE.settings().get(key));
      assertNull(settings.get(key));
    }
    assertNull(settings.get("spark.io.compression.codec"), "LZ4 is Spark's default");
  }

  @Test
  void everyManagerHasTheSettingsOfAnExpert() {
    ComparisonSetup setup = setup("--rapids=jar", "--gpus=4", "--gpu-cores=16");
    List<Map<String, String>> all =
        setup.choices().stream()
            .map(
                choice ->
                    setup
                        .application(choice, MASTER, setup.placeSettings(Map.of()), Path.of("logs"))
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
            "spark.rapids.sql.coalescing.reader.numFilterParallel",
            "1",
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

  @Test
  void ucxIsSetUpInTheExecutorsAlone() {
    Map<String, String> settings =
        setup("--rapids", "rapids.jar", "--managers", "rapids-ucx")
            .application(ManagerChoice.RAPIDS_UCX, MASTER, Map.of(), Path.of("logs"))
            .settings();
    assertEquals(
        Path.of("rapids.jar").toAbsolutePath().toString(),
        settings.get("spark.executor.extraClassPath"));
    assertEquals("UCX", settings.get("spark.rapids.shuffle.mode"));
    assertEquals("", settings.get("spark.executorEnv.UCX_ERROR_SIGNALS"));
    assertEquals("cuda_copy,cuda_ipc,tcp", settings.get("spark.executorEnv.UCX_TLS"));
    assertTrue(ManagerChoice.RAPIDS_UCX.needsRapids() && !ManagerChoice.RAPIDS_UCX.hasDeviceHeap());
  }

  @Test
  void refusesUcxWithoutItsLibraryOrItsCudaTransport(@TempDir Path folder) throws IOException {
    Path other = Files.createDirectory(folder.resolve("other"));
    Path ucx = Files.createDirectory(folder.resolve("lib"));
    assertEquals(
        "rapids-ucx needs UCX with CUDA, but libucp.so.0 is in none of %s, %s. Omit rapids-ucx, or add the folder of such a UCX to LD_LIBRARY_PATH."
            .formatted(other, ucx),
        refusalOfUcx(other, ucx));
    Files.createFile(ucx.resolve("libucp.so.0"));
    Path transport = ucx.resolve("ucx/libuct_cuda.so.0");
    String message = refusalOfUcx(other, ucx);
    assertTrue(message.contains("but " + transport + " does not exist. "), message);
    Files.createDirectory(transport.getParent());
    Files.createFile(transport);
    Ucx.check(List.of(other, ucx));
  }

  private static String refusalOfUcx(Path... folders) {
    return assertThrows(CliException.class, () -> Ucx.check(List.of(folders))).getMessage();
  }

  @Test
  void looksForUcxWhereTheDynamicLoaderDoes() {
    assertTrue(Ucx.folders().contains(Path.of("/usr/lib")), Ucx.folders().toString());
  }

  @Test
  void managersUnderRapidsHaveAsManyPartitionsAsSymShuffleChooses() {
    for (ManagerChoice choice : ManagerChoice.underRapids()) {
      assertEquals("128", partitions(choice, "--rapids", "rapids.jar", "--gpus", "2"));
      assertEquals(
          "7",
          partitions(
              choice,
              "--rapids",
              "rapids.jar",
              "--gpus",
              "2",
              "--conf",
              "spark.sql.shuffle.partitions=7"));
      assertEquals("64", partitions(choice, "--rapids", "rapids.jar", "--gpus", "1"));
      assertEquals("128", partitions(choice, "--rapids", "rapids.jar", "--gpus", "4"));
      assertNull(partitions(choice, "--rapids", "rapids.jar", "--gpus", "5"), "Spark's default");
    }
  }

  @Test
  void onlyManagersWithFilesOnDiskCanBeOnSlowFiles() {
    assertEquals(
        List.of(),
        setup("--managers", "sort,symshuffle", "--conf", "spark.local.dir=/dev/shm/x,/y")
            .onSlowFiles(Path.of("/")));
    assertEquals(
        List.of(), setup("--managers", "sort-shm,symshuffle").onSlowFiles(Path.of("/any")));
  }

  private static String partitions(ManagerChoice choice, String... arguments) {
    ComparisonSetup setup = setup(arguments);
    return setup
        .application(choice, MASTER, setup.placeSettings(Map.of()), Path.of("logs"))
        .settings()
        .get("spark.sql.shuffle.partitions");
  }

  @Test
  void shufflesOfTablesCanBeComparedWithThoseWithoutRowChecksums() {
    List<ManagerChoice> choices =
        setup(
                "--rapids",
                "rapids.jar",
                "--managers",
                "rapids-symshuffle,rapids-symshuffle-no-row-checksums")
            .choices();
    Map<String, String> more = new HashMap<>(choices.getLast().settings());
    more.entrySet().removeAll(choices.getFirst().settings().entrySet());
    assertEquals(
        Map.of(
            "spark.sql.shuffle.orderIndependentChecksum.enabled",
            "false",
            "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch",
            "false"),
        more);
    assertTrue(choices.stream().allMatch(ManagerChoice::hasDeviceHeap));
  }

  @Test
  void cometGetsItsJarAndMemory(@TempDir Path folder) throws IOException {
    Path jar = jar(folder.resolve("comet.jar"), "org/apache/spark/CometPlugin.class");
    ComparisonSetup setup = setup("--managers", "sort,symshuffle,comet", "--comet", jar.toString());
    setup.checkOptions();
    ApplicationSpec comet =
        setup.application(ManagerChoice.COMET, MASTER, Map.of(), Path.of("logs"));
    assertEquals(List.of(jar), comet.jars());
    assertEquals("1g", comet.settings().get("spark.memory.offHeap.size"));
    assertEquals("org.apache.spark.CometPlugin", comet.settings().get("spark.plugins"));
    ApplicationSpec sort = setup.application(ManagerChoice.SORT, MASTER, Map.of(), Path.of("logs"));
    assertEquals(List.of(), sort.jars());
    assertNull(sort.settings().get("spark.memory.offHeap.size"));
  }

  @Test
  void refusesCometWithoutItsJar(@TempDir Path folder) throws IOException {
    Path other = jar(folder.resolve("other.jar"), "Other.class");
    assertRefused("comet needs its jar", "--managers", "sort,comet");
    assertRefused("has no effect", "--comet", other.toString());
    assertRefused("does not contain", "--managers", "sort,comet", "--comet", other.toString());
    assertRefused("cannot be read", "--managers", "sort,comet", "--comet", folder + "/missing.jar");
  }

  private static Path jar(Path file, String entry) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(file))) {
      out.putNextEntry(new ZipEntry(entry));
    }
    return file;
  }

  private static void assertRefused(String reason, String... arguments) {
    ComparisonSetup setup = setup(arguments);
    String message = assertThrows(CliException.class, setup::checkOptions).getMessage();
    assertTrue(message.contains(reason), message);
  }

  @Test
  void comparesCodecsOnHosts() {
    assertEquals(List.of("sort", "sort-zstd", "symshuffle"), setup("--hosts", "2").labels());
    assertEquals(
        List.of("sort", "symshuffle"),
        setup("--hosts", "2", "--managers", "sort,symshuffle").labels());
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
        "--starts=2; --starts has no effect without --one-at-a-time.",
        "--one-at-a-time --starts=0; '--starts is 0; it must be from 1 to 100.'",
        "--managers=sort,rapids-symshuffle; rapids-symshuffle needs RAPIDS: add --rapids JAR.",
        "--gpus=0; --gpus",
        "--cores-per-host=2; --cores-per-host has no effect without --hosts N, or with GPUs.",
        "--hosts=2 --gpus=1; --gpus has no effect without --rapids JAR.",
        "--hosts=2 --cores-per-host=0; --cores-per-host must be from 1 to",
        "--hosts=1; --hosts must be from 2 to 64, not 1.",
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
  void takesLocalFoldersOfExecutorsFromSettings() {
    assertEquals(Optional.empty(), setup().cluster().localFolders());
    assertEquals(
        Optional.of("/a,/b"), setup("--conf", "spark.local.dir=/a,/b").cluster().localFolders());
    Path own = Path.of("/out/applications/cluster0/local");
    assertEquals(
        Map.of("SPARK_LOCAL_DIRS", own.toString()),
        WorkerCluster.localFolders(own, Optional.empty()));
    assertEquals(
        Map.of("SPARK_LOCAL_DIRS", "/a,/b"), WorkerCluster.localFolders(own, Optional.of("/a,/b")));
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

  @Test
  void refusesWrongSizesOfGpuMemory() {
    for (String setting :
        List.of("spark.rapids.memory.gpu.allocSize=8000", "spark.symshuffle.device.heap.size=2")) {
      ComparisonSetup setup = setup("--rapids", "rapids.jar", "--gpus", "1", "--conf", setting);
      String message =
          assertThrows(
                  CliException.class,
                  () -> setup.gpus().memory(setup.choices(), 1, setup.cluster().settings()))
              .getMessage();
      assertTrue(message.startsWith("--conf " + setting + ": "), message);
    }
  }

  @Test
  void putsFilesOfSortShuffleInMemoryWhereExecutorsChooseTheirFolders() {
    ComparisonSetup local = setup("--managers", "sort-shm,sort-shm-nocompress,symshuffle");
    local.checkOptions();
    assertEquals("/dev/shm", local.choices().getFirst().settings().get("spark.local.dir"));
    ComparisonSetup hosts =
        setup("--hosts=2", "--managers=sort-shm,symshuffle", "--conf=spark.local.dir=/a");
    hosts.checkOptions();
    assertEquals(
        List.of(Optional.of("/dev/shm"), Optional.of("/a")),
        hosts.choices().stream().map(hosts.cluster()::localFolders).toList());
    for (String[] cluster :
        new String[][] {{"--master", "spark://host:7077"}, {"--rapids", "jar"}}) {
      ComparisonSetup setup = setup("--managers", "sort-shm", cluster[0], cluster[1]);
      String message = assertThrows(CliException.class, setup::checkOptions).getMessage();
      assertTrue(message.startsWith("sort-shm works with a local master or --hosts"), message);
    }
  }
}
