// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.it.Folders;
import io.symshuffle.it.LeakCheck;
import io.symshuffle.it.process.ExecutorProcess;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.process.SparkSubmission;
import io.symshuffle.it.program.ComparisonProgram;
import io.symshuffle.it.program.HostsProgram;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.spark.network.util.JavaUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Applications on YARN, started with {@code spark-submit}: a resource manager, and two node
 * managers that start containers as processes.
 */
@Execution(ExecutionMode.CONCURRENT)
class YarnIT {
  private static final int NODE_MEBIBYTES = 4096;
  private static final Pattern APPLICATION = Pattern.compile("application_[0-9]+_[0-9]+");
  private static final Pattern READY = Pattern.compile("(?m)^ready$");
  private static final Pattern COMPARED = Pattern.compile("equal=[0-9]+ of ");
  private static final Pattern EQUAL =
      Pattern.compile(
          "equal=%1$d of %1$d queries, ours=([1-9][0-9]*) of \\1 exchanges"
              .formatted(ComparisonProgram.COUNT));
  private static final Path SETTINGS = Path.of("..", "conf", "spark-defaults-yarn.conf");

  /** Settings that depend on the size and the paths of the machine. */
  private static final Pattern OF_THE_MACHINE =
      Pattern.compile("spark\\.(master|jars|executor\\..*|.*JAVA_HOME|symshuffle\\.heap\\.size)");

  private static final String SERVICE_WARNING = "spark.shuffle.service.enabled is 'true', but ";

  @TempDir private static Path cluster;
  private static SparkHome home;
  private static SparkHome homeWithPlugin;
  private static YarnCluster yarn;

  @TempDir private Path folder;
  private Path heaps;

  @BeforeAll
  static void startYarn() throws IOException {
    home = SparkHome.create(cluster.resolve("home"));
    homeWithPlugin = SparkHome.create(cluster.resolve("with-plugin"), List.of(Jars.plugin()));
    yarn = YarnCluster.start(cluster.resolve("yarn"), home, 2, NODE_MEBIBYTES);
  }

  @AfterAll
  static void stopYarn() {
    if (yarn != null) {
      yarn.close();
    }
  }

  @BeforeEach
  void makeHeapFolder() throws IOException {
    heaps = Files.createTempDirectory(Path.of("/dev/shm"), "it-symshuffle-");
  }

  @AfterEach
  void deleteHeaps() {
    Folders.delete(heaps);
  }

  /**
   * With the published settings, which set the mode. The answer is in the log of the driver's
   * container, which YARN collects at the end.
   */
  @Test
  @Tag("full")
  @Execution(ExecutionMode.SAME_THREAD)
  void clusterModeWithTheJarOfTheCommandLineMatchesSortShuffle() {
    SparkSubmission submission = submission(home, ComparisonProgram.class).jar(Jars.plugin());
    SparkDefaults.read(SETTINGS).entrySet().stream()
        .filter(setting -> !OF_THE_MACHINE.matcher(setting.getKey()).matches())
        .forEach(setting -> submission.conf(setting.getKey(), setting.getValue()));
    String java = System.getProperty("java.home");
    try (ChildProcess submit =
        submission
            .conf("spark.yarn.appMasterEnv.JAVA_HOME", java)
            .conf("spark.executorEnv.JAVA_HOME", java)
            .conf("spark.driver.memory", "640m")
            .start(folder)) {
      assertEquals(0, submit.awaitEnd(Await.LIMIT), submit::output);
      String logs = yarn.awaitLogs(application(submit), COMPARED, Await.LIMIT);
      assertTrue(EQUAL.matcher(logs).find(), logs);
      assertNothingLeft();
    }
  }

  /** Runs that do not fit into the heaps are in the folders of the node managers. */
  @Test
  @Tag("long")
  @Execution(ExecutionMode.SAME_THREAD)
  void clientModeRecomputesNothingWhenAContainerIsKilled() {
    try (ChildProcess submit =
        submission(homeWithPlugin, HostsProgram.class)
            .conf("spark.symshuffle.heap.size", "4m")
            .conf("spark.symshuffle.staging.size", "256k")
            .arguments("2000000", "2")
            .start(folder)) {
      submit.awaitOutput(READY, Await.LIMIT);
      assertEquals(answer(submit, "ours"), answer(submit, "sort"));
      String kept = answer(submit, "keep");
      List<Path> local = Folders.under(cluster.resolve("yarn")).toList();
      assertTrue(local.stream().anyMatch(YarnIT::isRun), local::toString);
      String application = application(submit);
      ExecutorProcess killed = ExecutorProcess.of(application).getFirst();
      killed.kill();
      Await.until("the container is replaced", () -> ExecutorProcess.of(application).size() == 2);
      assertEquals(kept + ", computed again: 0", answer(submit, "read"));
      end(submit);
    }
  }

  @Test
  @Tag("long")
  @Execution(ExecutionMode.SAME_THREAD)
  void dynamicAllocationReleasesContainersButKeepsMapOutputs() throws IOException {
    try (ChildProcess submit =
        submission(homeWithPlugin, HostsProgram.class)
            .conf("spark.yarn.jars", "")
            .conf("spark.yarn.archive", archive().toUri().toString())
            .conf("spark.dynamicAllocation.enabled", "true")
            .conf("spark.dynamicAllocation.shuffleTracking.enabled", "false")
            .conf("spark.dynamicAllocation.initialExecutors", "2")
            .conf("spark.dynamicAllocation.maxExecutors", "2")
            .conf("spark.dynamicAllocation.executorIdleTimeout", "5s")
            .arguments("100000", "1")
            .start(folder)) {
      submit.awaitOutput(READY, Await.LIMIT);
      String application = application(submit);
      assertFalse(ExecutorProcess.of(application).isEmpty());
      String kept = answer(submit, "keep");
      Await.until("all executors are released", () -> ExecutorProcess.of(application).isEmpty());
      assertEquals(kept + ", computed again: 0", answer(submit, "read"));
      end(submit);
    }
  }

  /** YARN compares the size of a container with the resident memory of its processes. */
  @Test
  @Tag("long")
  @Execution(ExecutionMode.SAME_THREAD)
  void executorsFitTheContainersThatTunePrints() throws IOException {
    Map<String, String> tuned = tune();
    SparkSubmission submission = submission(homeWithPlugin, HostsProgram.class);
    tuned.forEach(submission::conf);
    try (ChildProcess submit =
        submission.conf("spark.executor.instances", "2").arguments("16000000", "2").start(folder)) {
      submit.awaitOutput(READY, Await.LIMIT);
      List<ExecutorProcess> before = ExecutorProcess.of(application(submit));
      assertEquals(2, before.size());
      assertEquals(answer(submit, "ours"), answer(submit, "sort"));
      long mebibytes =
          JavaUtils.byteStringAsMb(tuned.get("spark.executor.memory"))
              + JavaUtils.byteStringAsMb(tuned.get("spark.executor.memoryOverhead"));
      for (ExecutorProcess executor : before) {
        long peak = peakMebibytes(executor.pid());
        assertTrue(peak <= mebibytes, "%d MiB of %d".formatted(peak, mebibytes));
      }
      assertEquals(before, ExecutorProcess.of(application(submit)));
      end(submit);
    }
  }

  /** An application with sort shuffle uses the service of the node manager, ours does not. */
  @Test
  @Tag("long")
  @Execution(ExecutionMode.SAME_THREAD)
  void applicationsWithAndWithoutTheShuffleServiceRunBesideEachOther() {
    try (ChildProcess ours =
            withService(ComparisonProgram.class).jar(Jars.plugin()).start(folder.resolve("ours"));
        ChildProcess sparks =
            withService(ComparisonProgram.class)
                .conf("spark.plugins", "")
                .start(folder.resolve("sparks"))) {
      assertEquals(0, ours.awaitEnd(Await.LIMIT), ours::output);
      assertEquals(0, sparks.awaitEnd(Await.LIMIT), sparks::output);
      ours.awaitOutput(EQUAL, Duration.ZERO);
      assertTrue(ours.output().contains(SERVICE_WARNING), ours::output);
      sparks.awaitOutput(Pattern.compile("equal=5 of 5 queries, ours=0 of"), Duration.ZERO);
      String log = yarn.log();
      assertTrue(log.contains("shuffle service has application " + application(sparks)), log);
      assertFalse(log.contains("shuffle service has application " + application(ours)), log);
      assertNothingLeft();
    }
  }

  private SparkSubmission withService(Class<?> program) {
    return submission(home, program)
        .conf("spark.shuffle.service.enabled", "true")
        .conf("spark.shuffle.service.port", yarn.shuffleServicePort())
        .conf("spark.executor.instances", "1");
  }

  private SparkSubmission submission(SparkHome installation, Class<?> program) {
    return SparkSubmission.of(installation, program)
        .master("yarn")
        .hadoop(yarn.configuration())
        .conf("spark.yarn.jars", "local:" + installation.jars() + "/*")
        .conf("spark.yarn.stagingDir", folder.resolve("staging").toUri().toString())
        .conf("spark.plugins", "io.symshuffle.SymShufflePlugin")
        .conf("spark.symshuffle.heap.dir", heaps.toString())
        .conf("spark.symshuffle.heap.size", "64m")
        .conf("spark.executor.instances", "2")
        .conf("spark.executor.memory", "512m")
        .conf("spark.executor.memoryOverhead", "640m")
        .conf("spark.sql.shuffle.partitions", "4");
  }

  private static String application(ChildProcess submit) {
    return submit.awaitOutput(APPLICATION, Duration.ZERO).group();
  }

  private static String answer(ChildProcess submit, String question) {
    submit.send(question);
    return submit
        .awaitOutput(Pattern.compile("answer=(.*) of " + question + "\n"), Await.LIMIT)
        .group(1);
  }

  private void end(ChildProcess submit) {
    submit.send("end");
    assertEquals(0, submit.awaitEnd(Await.LIMIT), submit::output);
    assertNothingLeft();
  }

  /** The most memory that a process had resident, shared memory included. */
  private static long peakMebibytes(long pid) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) >> 10;
      }
    }
    throw new IOException("process %d has no VmHWM".formatted(pid));
  }

  /** The settings for a machine that takes one executor. */
  private static Map<String, String> tune() throws IOException {
    ChildProcess.Result tune =
        BuiltCommand.of(
                List.of(
                    "tune",
                    "--json",
                    "--cluster=yarn",
                    "--cores=1",
                    "--memory=3g",
                    "--shared-memory=1536m",
                    "--gpus=0"))
            .run(Await.LIMIT);
    String json = tune.output().substring(Math.max(0, tune.output().indexOf("{\n")));
    Map<String, String> settings = new TreeMap<>();
    for (JsonNode setting : new ObjectMapper().readTree(json).path("settings")) {
      settings.put(setting.path("key").asText(), setting.path("value").asText());
    }
    assertTrue(settings.containsKey("spark.executor.memoryOverhead"), tune.output());
    return settings;
  }

  /** The jars of Spark and ours in one file, as {@code spark.yarn.archive} wants them. */
  private Path archive() throws IOException {
    Path archive = folder.resolve("jars.zip");
    try (OutputStream file = Files.newOutputStream(archive);
        ZipOutputStream zip = new ZipOutputStream(file)) {
      zip.setLevel(0);
      try (var jars = Files.list(homeWithPlugin.jars())) {
        for (Path jar : jars.toList()) {
          zip.putNextEntry(new ZipEntry(jar.getFileName().toString()));
          Files.copy(jar, zip);
        }
      }
    }
    return archive;
  }

  private static boolean isRun(Path file) {
    return file.getFileName().toString().endsWith(".runs");
  }

  private void assertNothingLeft() {
    Path local = cluster.resolve("yarn");
    assertTrue(
        Await.holdsWithin(
            Await.LIMIT, () -> LeakCheck.leftovers(heaps, local, List.of()).isEmpty()),
        () -> LeakCheck.leftovers(heaps, local, List.of()).toString());
  }
}
