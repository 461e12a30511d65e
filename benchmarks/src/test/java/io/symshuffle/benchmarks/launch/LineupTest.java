// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.CliException;
import io.symshuffle.cuda.CudaDriver;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class LineupTest {
  @Command
  private static final class Options {
    @Mixin final ClusterOptions cluster = new ClusterOptions("sort", "symshuffle");
    @Mixin final GpuOptions gpus = new GpuOptions();
  }

  private static Lineup lineup(String... arguments) {
    Options options = new Options();
    TestCommandLine.of(options).parseArgs(arguments);
    return new Lineup(options.cluster, options.gpus, Map.of());
  }

  @Test
  void usesNoGpusByDefault() {
    assertEquals(List.of("sort", "symshuffle"), lineup().labels());
    assertEquals("local-cluster[2,1,2048]", lineup().where());
  }

  @Test
  void comparesCpuOperatorsOnExecutorsWithGpus() {
    Lineup lineup = lineup("--gpus", "2", "--gpu-cores", "7");
    lineup.checkOptions();
    assertEquals(List.of("sort", "symshuffle"), lineup.labels());
    assertEquals("standalone, 2 GPUs, 7 cores each", lineup.where());
    ApplicationSpec ours =
        lineup
            .cluster()
            .application(
                ManagerChoice.SYMSHUFFLE,
                lineup.gpus(),
                new SparkMaster("spark://127.0.0.1:7077"),
                Map.of(),
                Path.of("logs"));
    assertTrue(ours.plugin());
    assertEquals(List.of(), ours.jars());
    assertEquals("2", ours.settings().get("spark.executor.instances"));
    assertEquals("1", ours.settings().get("spark.executor.resource.gpu.amount"));
    assertFalse(ours.settings().keySet().stream().anyMatch(key -> key.startsWith("spark.rapids")));
  }

  @Test
  void comparesWithMultiThreadedManagerOfRapidsByDefault() {
    assertEquals(
        List.of("rapids-multithreaded", "rapids-symshuffle"),
        lineup("--rapids", "rapids.jar").labels());
    Lineup all = lineup("--managers", "rapids,rapids-multithreaded-skipmerge");
    assertEquals(
        "true",
        all.choices().getLast().settings().get("spark.rapids.shuffle.multithreaded.skipMerge"));
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
      assertNull(partitions(choice, "--rapids", "rapids.jar", "--gpus", "4"), "Spark's default");
    }
  }

  private static String partitions(ManagerChoice choice, String... arguments) {
    Lineup lineup = lineup(arguments);
    return lineup
        .cluster()
        .application(
            choice,
            lineup.gpus(),
            new SparkMaster("spark://127.0.0.1:7077"),
            Map.of(),
            Path.of("logs"))
        .settings()
        .get("spark.sql.shuffle.partitions");
  }

  @Test
  void shufflesOfTablesCanBeComparedWithThoseWithoutRowChecksums() {
    List<ManagerChoice> choices =
        lineup(
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
  void takesLocalFoldersOfExecutorsFromSettings() {
    assertEquals(Optional.empty(), lineup().cluster().localFolders());
    assertEquals(
        Optional.of("/a"), lineup("--conf", "spark.local.dir=/a").cluster().localFolders());
  }

  @Test
  void refusesManagersOfRapidsWithoutIt() {
    String tables = "--managers=sort,rapids-symshuffle";
    for (Lineup rapids : List.of(lineup(tables), lineup(tables, "--gpus", "1"))) {
      assertEquals(
          "rapids-symshuffle needs RAPIDS: add --rapids JAR.",
          assertThrows(CliException.class, rapids::checkOptions).getMessage());
    }
    assertThrows(CliException.class, () -> lineup("--gpus", "0").checkOptions());
  }

  @Test
  void refusesMoreGpusThanThisMachineHas() {
    CudaDriver driver = CudaDriver.system();
    assertEquals(
        driver
            .absence()
            .map(reason -> "--gpus needs a GPU: " + reason + ".")
            .orElseGet(
                () ->
                    "--gpus is 1000, but this machine has only %d."
                        .formatted(driver.deviceCount())),
        assertThrows(CliException.class, lineup("--gpus", "1000")::check).getMessage());
  }

  @Test
  void refusesWrongSettingsOfSymShuffle() {
    for (String setting :
        List.of("spark.symshuffle.heap.size=8", "spark.symshuffle.heap.sise=8g")) {
      String key = setting.substring(0, setting.indexOf('='));
      String message =
          assertThrows(CliException.class, lineup("--conf", setting)::checkOptions).getMessage();
      assertTrue(message.startsWith("--conf: " + key), message);
      lineup("--managers", "sort", "--conf", setting).checkOptions();
    }
    lineup("--conf", "spark.symshuffle.heap.size=8g").checkOptions();
  }

  @Test
  void refusesWrongSizesOfGpuMemory() {
    for (String setting :
        List.of("spark.rapids.memory.gpu.allocSize=8000", "spark.symshuffle.device.heap.size=2")) {
      Lineup lineup = lineup("--rapids", "rapids.jar", "--gpus", "1", "--conf", setting);
      String message =
          assertThrows(
                  CliException.class,
                  () -> lineup.gpus().memory(lineup.choices(), lineup.cluster().settings()))
              .getMessage();
      assertTrue(message.startsWith("--conf " + setting + ": "), message);
    }
  }

  @Test
  void putsFilesOfSortShuffleInMemoryOnlyOnLocalExecutors() {
    Lineup local = lineup("--managers", "sort-shm,sort-shm-nocompress,symshuffle");
    local.checkOptions();
    assertEquals("/dev/shm", local.choices().getFirst().settings().get("spark.local.dir"));
    for (String[] cluster : new String[][] {{"--master", "spark://host:7077"}, {"--gpus", "2"}}) {
      Lineup lineup = lineup("--managers", "sort-shm", cluster[0], cluster[1]);
      String message = assertThrows(CliException.class, lineup::checkOptions).getMessage();
      assertTrue(message.startsWith("sort-shm works with executors of a local master"), message);
    }
  }
}
