// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Recommendation;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.cli.SymShuffleCommand;
import io.symshuffle.heap.host.MemoryLimits;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ClusterSettings;
import io.symshuffle.plugin.config.ConfigReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.internal.SQLConf$;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TuneTest {
  private static final long GIB = 1L << 30;

  @TempDir private Path folder;

  private static Map<String, String> settings(TuneReport report) {
    return report.settings().stream()
        .collect(Collectors.toMap(Recommendation::key, Recommendation::value));
  }

  private static JobFacts job(StageFacts... stages) {
    return new JobFacts(
        "job", "4.2.0", "", 100, List.of(stages), List.of(), 8 * GIB, 64, List.of());
  }

  private static Layout layout(
      ClusterKind kind, int nodes, int cores, long memory, long sharedBytes, int gpus) {
    return Layout.of(
        kind,
        nodes,
        new MachineFacts(
            cores, memory * GIB, sharedBytes, Collections.nCopies(gpus, "NVIDIA H200"), 0),
        OptionalLong.empty());
  }

  @Test
  void recommendsOnlySettingsThatTheDriverAcceptsForManyExecutors() {
    for (int nodes : List.of(125, 126, 10_000)) {
      TuneReport report =
          TuneReport.of(
              layout(ClusterKind.STANDALONE, nodes, 64, 512, 256 * GIB, 8), Optional.empty());
      Map<String, String> settings = settings(report);
      ConfigReader.read(settings);
      assertEquals(nodes == 125, settings.containsKey("spark.symshuffle.device.pes"));
    }
  }

  private static long bytes(Map<String, String> settings, String key) {
    return ByteSize.parse(settings.get(key)).bytes();
  }

  private Map<String, String> read(TuneReport report) throws IOException {
    Path file = folder.resolve("spark-defaults.conf");
    Files.writeString(file, report.text());
    Map<String, String> read = SparkDefaults.read(file);
    assertEquals(settings(report), read);
    return read;
  }

  @ParameterizedTest
  @CsvSource({
    "2,4,2048,0",
    "2,24,12288,0",
    "16,64,32768,0",
    "128,1024,524288,4",
    "32,256,0,2",
    "96,384,196608,0",
    "64,384,64,0",
    "1,1,0,0",
    "8,16,1024,1"
  })
  void recommendsValidSettingsThatFitMachine(int cores, long memory, long sharedMib, int gpus)
      throws IOException {
    for (ClusterKind kind : ClusterKind.values()) {
      Layout layout = layout(kind, 3, cores, memory, sharedMib << 20, gpus);
      TuneReport report = TuneReport.of(layout, Optional.empty());
      Map<String, String> read = read(report);
      ConfigReader.read(read);
      assertEquals(List.of(), unknownToSpark(read.keySet()));
      boolean local = kind == ClusterKind.LOCAL;
      long heap = bytes(read, "spark.symshuffle.heap.size");
      long java = bytes(read, local ? "spark.driver.memory" : "spark.executor.memory");
      long container = java + (local ? heap : bytes(read, "spark.executor.memoryOverhead"));
      int executors = layout.executors();
      assertAll(
          kind + ":\n" + report.text(),
          () -> assertTrue(read.get("spark.plugins").startsWith("io.symshuffle.SymShufflePlugin")),
          () ->
              assertTrue(
                  local
                      || container
                          >= heap
                              + MemoryLimits.jvmBytes(java)
                              + ClusterSettings.OTHER_PAGES_BYTES
                              + (layout.hasDeviceHeaps() ? GIB : 0)
                              + (layout.hasGpus() ? GIB : 0)),
          () -> assertTrue(memory < 4 || executors * container <= memory * GIB),
          () -> assertTrue(sharedMib == 0 || executors * heap <= sharedMib << 20),
          () ->
              assertEquals(
                  gpus > 0 && kind == ClusterKind.STANDALONE,
                  read.containsKey("spark.symshuffle.device.pes")));
    }
  }

  /** Those of Spark SQL, whose settings differ between versions. */
  private static List<String> unknownToSpark(Set<String> keys) {
    return keys.stream()
        .filter(key -> key.startsWith("spark.sql."))
        .filter(key -> SQLConf$.MODULE$.getConfigEntry(key) == null)
        .toList();
  }

  @Test
  void usesMemoryOfMachineOnce() {
    for (ClusterKind kind : ClusterKind.values()) {
      MemoryPlan plan = MemoryPlan.of(layout(kind, 1, 64, 512, 400 * GIB, 0), OptionalLong.empty());
      long sum = plan.system() + plan.executors() * plan.container() + plan.left();
      assertAll(
          kind + ": " + plan.lines(),
          () -> assertEquals(512 * GIB, sum),
          () -> assertTrue(plan.left() >= 0 && plan.left() < 8 * GIB));
    }
  }

  @Test
  void executorsOfMachineShareMemoryOnlyOutsideOfPods() {
    assertAll(
        () -> assertEquals(4, layout(ClusterKind.STANDALONE, 2, 64, 256, 128 * GIB, 0).executors()),
        () -> assertEquals(4, layout(ClusterKind.YARN, 2, 64, 256, 128 * GIB, 0).executors()),
        () -> assertEquals(1, layout(ClusterKind.KUBERNETES, 2, 64, 256, 128 * GIB, 0).executors()),
        () -> assertEquals(1, layout(ClusterKind.LOCAL, 1, 64, 256, 128 * GIB, 0).executors()));
    String pods =
        TuneReport.of(
                Layout.of(
                    ClusterKind.KUBERNETES,
                    2,
                    new MachineFacts(64, 256 * GIB, Long.MAX_VALUE, List.of(), 0),
                    OptionalLong.of(50 * GIB)),
                Optional.empty())
            .text();
    assertAll(
        pods,
        () -> assertTrue(pods.contains("do not read each other's map outputs in place")),
        () -> assertFalse(pods.contains("still read each other's")));
  }

  @Test
  void executorFitsGivenMemoryOfPod() {
    Layout layout =
        Layout.of(
            ClusterKind.KUBERNETES,
            10,
            new MachineFacts(32, 128 * GIB, Long.MAX_VALUE, List.of(), 0),
            OptionalLong.of(28 * GIB));
    MemoryPlan plan = MemoryPlan.of(layout, OptionalLong.empty());
    assertAll(
        () -> assertEquals(4, layout.executors()),
        () -> assertEquals(40, layout.total()),
        () -> assertTrue(plan.container() <= 28 * GIB, plan::toString),
        () -> assertTrue(plan.container() > 27 * GIB, plan::toString));
  }

  @Test
  void countsExecutorsOfAllNodes() {
    Map<String, String> yarn =
        settings(
            TuneReport.of(layout(ClusterKind.YARN, 5, 32, 128, 64 * GIB, 0), Optional.empty()));
    Map<String, String> gpus =
        settings(
            TuneReport.of(
                layout(ClusterKind.STANDALONE, 2, 64, 512, 256 * GIB, 4), Optional.empty()));
    assertAll(
        () -> assertEquals("10", yarn.get("spark.executor.instances")),
        () -> assertEquals("480", yarn.get("spark.sql.shuffle.partitions")),
        () -> assertFalse(gpus.containsKey("spark.sql.shuffle.partitions"), "the plugin's choice"),
        () -> assertEquals("8", gpus.get("spark.symshuffle.device.pes")),
        () -> assertEquals("128", gpus.get("spark.cores.max")));
  }

  @Test
  void keepsTablesOnGpusOnlyWhereDeviceHeapsStart() {
    Map<String, String> standalone =
        settings(
            TuneReport.of(
                layout(ClusterKind.STANDALONE, 1, 64, 512, 256 * GIB, 4), Optional.empty()));
    Map<String, String> pods =
        settings(
            TuneReport.of(
                layout(ClusterKind.KUBERNETES, 1, 64, 512, 256 * GIB, 4), Optional.empty()));
    assertAll(
        () -> assertFalse(standalone.containsKey("spark.symshuffle.rapids.mode")),
        () -> assertEquals("host", pods.get("spark.symshuffle.rapids.mode")),
        // It is a fraction of the memory that is free after our heap: the default leaves nothing
        // idle.
        () -> assertFalse(standalone.containsKey("spark.rapids.memory.gpu.allocFraction")));
  }

  private static TuneReport withGpus(int nodes, int gpus, long gpuGib, Optional<JobFacts> job) {
    return TuneReport.of(
        Layout.of(
            ClusterKind.STANDALONE,
            nodes,
            new MachineFacts(
                16 * gpus,
                64 * GIB * gpus,
                32 * GIB,
                Collections.nCopies(gpus, "GPU"),
                gpuGib * GIB),
            OptionalLong.empty()),
        job);
  }

  @ParameterizedTest
  @CsvSource({
    // GiB of a GPU, share of the heap, tasks
    "8, 0.25, 1",
    "16, 0.25, 2",
    "24, 0.25, 3",
    "40, 0.3, 4",
    "48, 0.3, 4",
    "141, 0.3, 4"
  })
  void dividesMemoryOfAGpu(long gib, String share, String tasks) throws IOException {
    TuneReport report = withGpus(1, 1, gib, Optional.empty());
    Map<String, String> settings = read(report);
    ConfigReader.read(settings);
    GpuPlan plan = report.gpu().orElseThrow();
    assertAll(
        report.text(),
        () -> assertEquals(share, settings.get("spark.symshuffle.device.heap.size")),
        () -> assertEquals(tasks, settings.get("spark.rapids.sql.concurrentGpuTasks")),
        () -> assertEquals("64", settings.get("spark.sql.shuffle.partitions")),
        () ->
            assertEquals(
                gib * GIB, plan.heap() + plan.cuda() + plan.reserve() + plan.pool(), "the GPU"),
        // RAPIDS does not start with less than its minAllocFraction of the GPU.
        () -> assertTrue(plan.pool() >= plan.total() / 4, plan::toString),
        () -> assertTrue(report.text().contains("pool of RAPIDS, for "), "a line"),
        () -> assertEquals(plan.pool(), report.json().at("/gpu/poolBytes").asLong()));
  }

  @Test
  void choosesPartitionsForAllGpusAndForTheLargestQuery() {
    String key = "spark.sql.shuffle.partitions";
    JobFacts large =
        new JobFacts("job", "4.2.0", "", 100, List.of(), List.of(), 800 * GIB, 64, List.of());
    assertEquals("128", settings(withGpus(1, 2, 24, Optional.empty())).get(key));
    assertEquals("128", settings(withGpus(4, 1, 24, Optional.empty())).get(key));
    assertEquals("240", settings(withGpus(40, 1, 24, Optional.empty())).get(key));
    TuneReport report = withGpus(1, 1, 24, Optional.of(large));
    GpuPlan plan = report.gpu().orElseThrow();
    long partition = 800 * GIB / plan.partitions();
    assertTrue(partition <= plan.pool() / plan.tasks() / 4, plan::toString);
    assertTrue(plan.partitions() < 1000, plan::toString);
  }

  @Test
  void countsPinnedMemoryOfExecutorsWhoseTablesStayOnGpus() {
    TuneReport gpus =
        TuneReport.of(layout(ClusterKind.STANDALONE, 2, 64, 512, 256 * GIB, 4), Optional.empty());
    MemoryPlan plan = gpus.memory();
    assertAll(
        gpus.text(),
        () -> assertEquals(GIB, plan.pinned()),
        () -> assertEquals("1g", settings(gpus).get("spark.symshuffle.transfer.pinned")),
        () -> assertEquals(8 * GIB, plan.rapids()),
        () -> assertEquals(plan.jvm() + plan.peers() + plan.heap() + 9 * GIB, plan.overhead()),
        () ->
            assertEquals(
                512 * GIB, plan.system() + 4 * (plan.java() + plan.overhead()) + plan.left()),
        () -> assertTrue(plan.left() >= 0, plan::toString),
        () -> assertTrue(gpus.text().contains("   1.0 GiB  pinned memory, for copies"), "a line"),
        () -> assertEquals(GIB, gpus.json().get("memory").get("pinnedBytes").asLong()));
    for (TuneReport none :
        List.of(
            TuneReport.of(
                layout(ClusterKind.STANDALONE, 2, 64, 512, 256 * GIB, 0), Optional.empty()),
            TuneReport.of(layout(ClusterKind.YARN, 2, 64, 512, 256 * GIB, 4), Optional.empty()))) {
      assertEquals(0, none.memory().pinned());
      assertFalse(none.text().contains("transfer.pinned"), none.text());
    }
  }

  @Test
  void advisesAgainstJobThatHardlyShuffles() {
    JobFacts job = job(new StageFacts(100, 1000, 0.1, 0.1, 0, 10_000, 10_000, 1000, 3000));
    List<String> sentences = new Assessment(job).sentences();
    assertTrue(job.prediction().atMostSaved() < 1, sentences.toString());
    assertTrue(sentences.getLast().startsWith("Not worth it"), sentences.toString());
  }

  @Test
  void predictsAtMostTheTimeThatShufflesTook() {
    JobFacts job =
        job(
            new StageFacts(50, 100, 20, 0, 0, 100_000_000, 0, GIB, 0),
            new StageFacts(50, 100, 0, 10, 0, 0, 100_000_000, 0, 0));
    Prediction prediction = job.prediction();
    assertAll(
        () -> assertTrue(prediction.expectedSaved() > 5),
        () -> assertTrue(prediction.expectedSaved() <= prediction.atMostSaved()),
        () -> assertTrue(prediction.atMostSaved() <= 100),
        () -> assertTrue(prediction.shuffleShare() <= 1),
        () -> assertEquals("Worth trying.", new Assessment(job).sentences().getLast()));
  }

  @Test
  void readsEventLogOfRealApplication() throws IOException {
    for (boolean compressed : new boolean[] {false, true}) {
      Path logs = Files.createDirectories(folder.resolve("logs-" + compressed));
      try (SparkSession spark =
          SparkSession.builder()
              .master("local[2]")
              .appName("one exchange")
              .config("spark.ui.enabled", "false")
              .config("spark.eventLog.enabled", "true")
              .config("spark.eventLog.compress", compressed)
              .config("spark.eventLog.rolling.enabled", compressed)
              .config("spark.eventLog.dir", logs.toUri().toString())
              .getOrCreate()) {
        long rows =
            spark
                .range(0, 50_000, 1, 2)
                .repartition(8, functions.col("id"))
                .selectExpr("sum(id)")
                .count();
        assertEquals(1, rows);
      }
      String log;
      try (Stream<Path> files = Files.list(logs)) {
        log = files.findFirst().orElseThrow().toString();
      }
      JobFacts facts = EventLog.read(log);
      assertAll(
          () -> assertEquals("one exchange", facts.name()),
          () -> assertTrue(facts.sum().recordsWritten() >= 50_000, facts.toString()),
          () -> assertTrue(facts.sum().recordsRead() >= 50_000, facts.toString()),
          () -> assertTrue(facts.peakBytes() >= 50_000 * 16, facts.toString()),
          () -> assertTrue(facts.seconds() > 0, facts.toString()),
          () -> assertFalse(facts.ranOnSymShuffle()));
    }
  }

  @Test
  void predictsMedianOfRunsPerQuery() {
    List<QueryPrediction> predictions =
        QueryPrediction.ofAll(
            List.of(
                run("q1", 10, 1_000_000),
                run("q2", 2, 0),
                run("q1", 14, 1_000_000),
                run("q2", 1, 0),
                run("q1", 12, 1_000_000)));
    QueryPrediction first = predictions.getFirst();
    assertAll(
        () -> assertEquals("q1", first.name()),
        () -> assertEquals(3, first.runs()),
        () -> assertEquals(12, first.seconds(), 1e-9),
        // A million records at 0.81 and 0.23 us on two cores.
        () -> assertEquals(0.405, first.atMostSaved(), 1e-9),
        () -> assertEquals(0.115, first.expectedSaved(), 1e-9),
        () -> assertEquals(0.81 / 24, first.shuffleShare(), 1e-9),
        () -> assertEquals(2, predictions.size()),
        () -> assertEquals(1.5, predictions.getLast().seconds(), 1e-9),
        () -> assertEquals(0, predictions.getLast().atMostSaved(), 1e-9));
  }

  /** A run on two cores with a stage that writes and a stage that reads the records. */
  private static QueryRun run(String name, double seconds, long records) {
    return new QueryRun(
        name,
        seconds,
        List.of(
            new StageFacts(seconds / 2, seconds, 0, 0, 0, records, 0, 16 * records, 0),
            new StageFacts(seconds / 2, seconds, 0, 0, 0, 0, records, 0, 0)));
  }

  @Test
  void predictsSuccessfulQueriesOfLog() throws IOException {
    String sort = tune("--event-log", writeLog(false));
    assertTrue(sort.contains("#   one exchange     3"), sort);
    var job = new ObjectMapper().readTree(tune("--json", "--event-log", writeLog(false)));
    var queries = job.path("job").path("queries");
    assertAll(
        queries.toString(),
        () -> assertEquals(List.of("one exchange"), queries.findValuesAsText("query")),
        () -> assertTrue(queries.path(0).path("savedExpectedSeconds").asDouble() > 0));
  }

  @Test
  void takesTimesOfShufflesOnGpusFromMetricsOfRapids() throws IOException {
    Path log =
        Files.writeString(
            folder.resolve("app-1"),
            """
            {"Event":"SparkListenerLogStart","Spark Version":"4.2.0"}
            {"Event":"SparkListenerApplicationStart","App Name":"gpus","Timestamp":1000}
            {"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Info":{"Finish Time":5000,\
            "Accumulables":[{"Name":"op time (shuffle write partitioning)","Update":"500000000"},\
            {"Name":"op time","Update":"3000000000"}]},"Task Metrics":{"Executor Run Time":4000,\
            "Shuffle Write Metrics":{"Shuffle Write Time":700000000,"Shuffle Records Written":64}}}
            {"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,\
            "Submission Time":1000,"Completion Time":5000}}
            {"Event":"SparkListenerTaskEnd","Stage ID":1,"Task Info":{"Finish Time":9000,\
            "Accumulables":[{"Name":"op time (shuffle read)","Update":"800000000"}]},\
            "Task Metrics":{"Executor Run Time":4000}}
            {"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":1,\
            "Submission Time":5000,"Completion Time":9000}}
            """);
    Prediction prediction = EventLog.read(log.toString()).prediction();
    String report = tune("--gpus", "0", "--event-log", log.toString());
    assertAll(
        report,
        () -> assertEquals(2.0, prediction.recordedSeconds(), 1e-9),
        () -> assertEquals(2.0, prediction.atMostSaved(), 1e-9),
        () -> assertEquals(0, prediction.expectedSaved()),
        () -> assertTrue(report.contains("25 %"), "2 of 8 s"),
        () -> assertTrue(report.contains("--gpus"), "these settings are for CPUs"));
  }

  @Test
  void predictsNothingForLogOfSymShuffle() throws IOException {
    String ours = tune("--event-log", writeLog(true));
    assertAll(
        () -> assertTrue(ours.contains("It already ran on SymShuffle"), ours),
        () -> assertFalse(ours.contains("saves >="), ours));
  }

  private static String tune(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        SymShuffleCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true), false)
            .execute(Stream.concat(Stream.of("tune"), Stream.of(arguments)).toArray(String[]::new));
    assertEquals(0, status, err.toString());
    return out.toString();
  }

  /** Three runs of a query and one that fails; returns the event log. */
  private String writeLog(boolean onSymShuffle) throws IOException {
    Path logs = Files.createTempDirectory(folder, "logs");
    SparkSession.Builder builder =
        SparkSession.builder()
            .master("local[2]")
            .appName("three runs")
            .config("spark.ui.enabled", "false")
            .config("spark.eventLog.enabled", "true")
            .config("spark.eventLog.dir", logs.toUri().toString());
    if (onSymShuffle) {
      // Only the manager's name in the log matters here.
      builder.config("spark.shuffle.manager", RenamedShuffleManager.class.getName());
    }
    try (SparkSession spark = builder.getOrCreate()) {
      spark.sparkContext().setJobDescription("one exchange");
      for (int run = 0; run < 3; run++) {
        long rows =
            spark.range(0, 50_000, 1, 2).repartition(4, functions.col("id")).collectAsList().size();
        assertEquals(50_000, rows);
      }
      assertThrows(
          Exception.class,
          () -> spark.range(1).selectExpr("raise_error('on purpose')").collectAsList());
    }
    try (Stream<Path> files = Files.list(logs)) {
      return files.findFirst().orElseThrow().toString();
    }
  }

  @Test
  void reportsFilesThatAreNotEventLogs() throws IOException {
    Path file = folder.resolve("nothing");
    Files.writeString(file, "no json\n");
    CliException failure = assertThrows(CliException.class, () -> EventLog.read(file.toString()));
    assertTrue(failure.getMessage().contains("is not an event log"), failure.getMessage());
    String missing = folder.resolve("missing").toString();
    failure = assertThrows(CliException.class, () -> EventLog.read(missing));
    assertEquals("There is no event log " + missing + ".", failure.getMessage());
    assertNotRead(Files.writeString(folder.resolve("app-0"), ""), "app-0 is empty or cut off: ");
    assertNotRead(
        Files.writeString(folder.resolve("app-1.gz"), "gzip"),
        "app-1.gz was not compressed by Spark");
    assertNotRead(Files.writeString(folder.resolve("app-1.lz4"), "x".repeat(100)), "app-1.lz4: ");
    assertNotRead(
        Files.writeString(
            folder.resolve("app-2"),
            "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"4.2.0\"}\n{\"Event\":\"Spa"),
        "app-2 ends before its application has started");
    Path logs = Files.createDirectory(folder.resolve("logs"));
    assertNotRead(logs, "its folder eventlog_v2_*. This folder has none.");
    Files.createDirectory(logs.resolve("another"));
    Files.writeString(logs.resolve("app-3"), "");
    assertNotRead(logs, "The newest in this folder is app-3.");
    CliException remote =
        assertThrows(CliException.class, () -> EventLog.read("s3a://bucket/app-4"));
    assertTrue(remote.getMessage().contains("copy the log to this machine"), remote.getMessage());
    Path page = Files.writeString(folder.resolve("README.md"), "# A page\n");
    failure = assertThrows(CliException.class, () -> EventLog.read(page.toString()));
    assertTrue(
        failure.getMessage().contains("README.md is not an event log"), failure.getMessage());
    assertEquals(2, failure.exitStatus());
  }

  private static void assertNotRead(Path log, String message) {
    CliException failure = assertThrows(CliException.class, () -> EventLog.read(log.toString()));
    assertTrue(failure.getMessage().contains(message), failure.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--memory=plenty | 'plenty' is not a byte size",
        "--memory=12 | write 12g for GiB",
        "--memory=1m | a machine needs at least 1g",
        "--nodes=0 | --nodes is 0; it must be from 1 to 100000.",
        "--cores=0 | --cores is 0; it must be at least 1.",
        "--cluster=local --nodes=3 | --nodes is 3, but --cluster local is one process",
        "--cores=2 --gpus=3 | A machine with 3 GPUs and 2 cores has no core for each executor",
        "--cluster=yarn --memory=100g --pod-memory=500g | leaves 90.0 GiB for pods or containers",
        "--pod-memory=8g | --pod-memory is for",
        "--gpus=1000 | --gpus is 1000",
        "--gpus=1 --gpu-memory=4g | --gpu-memory is 4g; it must be from 8g to 1t",
        "--gpus=0 --gpu-memory=24g | --gpu-memory is for machines with GPUs: give their number",
        "--shared-memory=64m | SymShuffle needs at least 256m there",
        "--nodes=2 --network=fast | 'fast' is not a rate such as 10gbit or 500mbit",
        "--nodes=2 --network=0gbit | 0gbit must be more than 0",
        "--network=10gbit | --network is for several machines: give their number with --nodes N.",
        "--cores=5000 | this machine has"
      })
  void rejectsInvalidOptions(String option, String message) {
    StringWriter err = new StringWriter();
    int status =
        SymShuffleCommand.commandLine(new PrintWriter(err, true), new PrintWriter(err, true), false)
            .execute(("tune " + option).split(" "));
    assertEquals(2, status);
    assertTrue(err.toString().contains(message), err.toString());
  }

  @Test
  void usesNothingOfThisMachineForAnotherOne() throws IOException {
    StringWriter out = new StringWriter();
    SymShuffleCommand.commandLine(new PrintWriter(out, true), new PrintWriter(out, true), false)
        .execute("tune", "--json", "--gpus", "4", "--cores", "64", "--memory", "512g");
    var json = new ObjectMapper().readTree(out.toString());
    assertEquals(256 * GIB, json.get("machine").get("sharedBytes").asLong());
    // Java heaps of 31 GiB leave 80 GiB for each heap; 80 % of half of the memory are 51 GiB.
    assertEquals(51 * GIB, json.get("memory").get("heapBytes").asLong());
  }

  @Test
  void recommendsTheSettingsOfAnExpertOnGpus() throws IOException {
    TuneReport report =
        TuneReport.of(layout(ClusterKind.STANDALONE, 1, 64, 512, 256 * GIB, 4), Optional.empty());
    Map<String, String> settings = read(report);
    assertAll(
        report.text(),
        () -> assertEquals("8g", settings.get("spark.rapids.memory.pinnedPool.size")),
        () -> assertEquals("256m", settings.get("spark.sql.files.maxPartitionBytes")),
        () -> assertEquals("0s", settings.get("spark.locality.wait")),
        () ->
            assertEquals(
                "-Xms21162m -XX:ParallelGCThreads=8",
                settings.get("spark.executor.defaultJavaOptions")),
        () -> assertFalse(settings.containsKey("spark.rapids.memory.gpu.pool")),
        () -> assertTrue(report.text().contains("8.0 GiB  pinned memory of RAPIDS"), "a line"),
        () -> assertTrue(report.text().contains("left: the kernel caches"), "what the rest is for"),
        () -> assertTrue(report.text().contains("# Measured on two H200"), "once"));
    Map<String, String> yarn =
        settings(
            TuneReport.of(layout(ClusterKind.YARN, 1, 64, 512, 256 * GIB, 4), Optional.empty()));
    assertEquals("8g", yarn.get("spark.rapids.memory.pinnedPool.size"));
    assertEquals("false", yarn.get("spark.rapids.memory.pinnedPool.setCuioDefault"));
  }

  /** Otherwise users would not know why memory is left, or what is missing. */
  @Test
  void saysWhatLimitsTheHeapsAndWhatIsUnknown() {
    TuneReport gpus =
        TuneReport.of(layout(ClusterKind.STANDALONE, 1, 64, 512, 256 * GIB, 4), Optional.empty());
    String reason =
        gpus.settings().stream()
            .filter(setting -> setting.key().equals("spark.symshuffle.heap.size"))
            .findFirst()
            .orElseThrow()
            .reason();
    assertTrue(reason.contains("memory for 71.0 GiB: enlarge /dev/shm to 355g"), reason);
    TuneReport enlarged =
        TuneReport.of(layout(ClusterKind.STANDALONE, 1, 64, 512, 355 * GIB, 4), Optional.empty());
    assertEquals("71g", settings(enlarged).get("spark.symshuffle.heap.size"));
    assertTrue(enlarged.memory().left() >= 0, enlarged.text());
    assertTrue(gpus.text().contains("# With --gpu-memory SIZE"), gpus.text());
    assertFalse(withGpus(1, 1, 24, Optional.empty()).text().contains("# With --gpu-memory"));
    TuneReport pods =
        TuneReport.of(layout(ClusterKind.KUBERNETES, 1, 64, 512, 256 * GIB, 4), Optional.empty());
    assertFalse(pods.text().contains("31.1 s"), "measured with tables that stay on the GPUs");
  }

  @Test
  void recommendsTheFirstSizeOfJavaHeapsOnCpus() {
    String options = "-Xms21162m -XX:ParallelGCThreads=8";
    for (ClusterKind kind : List.of(ClusterKind.STANDALONE, ClusterKind.LOCAL)) {
      TuneReport report = TuneReport.of(layout(kind, 8, 16, 128, 64 * GIB, 0), Optional.empty());
      assertEquals(
          options,
          settings(report)
              .get(
                  kind == ClusterKind.LOCAL
                      ? "spark.driver.defaultJavaOptions"
                      : "spark.executor.defaultJavaOptions"),
          report.text());
      assertFalse(report.text().contains("rapids"), report.text());
    }
  }

  @Test
  void reportsMachineThatIsTooSmallWithStatus1() {
    StringWriter out = new StringWriter();
    int status =
        SymShuffleCommand.commandLine(new PrintWriter(out, true), new PrintWriter(out, true), false)
            .execute("tune", "--cores", "64", "--memory", "4g", "--cluster", "standalone");
    assertEquals(1, status, out.toString());
    assertTrue(out.toString().contains("this machine is too small"), out.toString());
    assertTrue(out.toString().contains("symshuffle: The machine is too small: "), out.toString());
  }
}
