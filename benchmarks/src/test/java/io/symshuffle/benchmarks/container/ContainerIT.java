// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.container;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.benchmarks.launch.SparkMaster;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Executors in containers of limited memory. */
@Tag("long")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ContainerIT {
  private static final int EXECUTORS = 2;
  private static final long MIB = 1L << 20;

  /** About 600 MiB of map outputs per executor. */
  private static final long ROWS = 24_000_000;

  private static final double SCALE = 0.1;
  private static final int ROUNDS = 4;
  private static final int REPARTITIONS = 3;

  private static final PrintWriter QUIET = new PrintWriter(Writer.nullWriter());

  @TempDir private Path folder;
  private Path jars;

  @BeforeEach
  void createFolder() throws IOException {
    jars = Files.createDirectories(folder.resolve("runtime"));
  }

  /**
   * What YARN compares with the size of the container (RSS), and what the kernel does (a control
   * group, if one can be created): 88 queries of TPC-H and 12 jobs that fill the heaps.
   */
  @Test
  void hundredQueriesFitTheContainersThatTunePrints() throws Exception {
    Map<String, String> tuned = tune();
    long memory = bytes(tuned, "spark.executor.memory");
    long container = memory + bytes(tuned, "spark.executor.memoryOverhead");
    long heap = bytes(tuned, "spark.symshuffle.heap.size");
    // What YARN would do by itself.
    tuned.put("spark.symshuffle.read.peerMemory", "384m");
    try (Containers containers = new Containers(folder, EXECUTORS, container)) {
      try (Application application = start(memory, tuned, containers)) {
        List<Long> executors = pids(application);
        containers.watch(application);
        int queries = 0;
        List<String> names = Suite.TPCH.tables().names();
        String tables = folder.resolve("tables").toString();
        ask(application, new Request.Generate("tpch", names, SCALE, tables));
        ask(application, new Request.Tables("tpch", names, tables));
        for (int round = 0; round < ROUNDS; round++) {
          for (String query : Suite.TPCH.queries().names()) {
            String sql = Suite.TPCH.queries().text(query);
            measure(application, new Request.Query(query, sql, rows()));
            queries++;
          }
          for (int i = 0; i < REPARTITIONS; i++) {
            measure(application, new Request.Case("repartition", ROWS, 0, 64, true, rows()));
            queries++;
          }
        }
        long kills = containers.kills();
        List<Long> rss = executors.stream().map(containers::highestRss).toList();
        List<Long> shared = executors.stream().map(containers::highestShared).toList();
        System.out.printf(
            "%d queries; containers of %d MiB with heaps of %d MiB; control groups: %s;"
                + " highest RSS %s, of which shared %s MiB%n",
            queries, container / MIB, heap / MIB, containers.isLimited(), mib(rss), mib(shared));
        assertEquals(100, queries);
        assertAll(
            () -> assertEquals(0, kills),
            () -> assertEquals(executors, pids(application)),
            () -> rss.forEach(each -> assertTrue(each <= container, "" + rss)),
            // Otherwise the jobs were too small to show anything.
            () -> shared.forEach(each -> assertTrue(each >= heap, "" + shared)));
      }
    }
  }

  /** A limit that leaves 256 MiB for a heap of 4 GiB. */
  @Test
  void heapStopsGrowingAndSpillsBeforeTheLimit() throws Exception {
    long memory = 1024 * MIB;
    long container = memory + (384 + 256) * MIB;
    try (Containers containers = new Containers(folder, EXECUTORS, container)) {
      assumeTrue(
          containers.isLimited(), "no control group with a memory limit can be created here");
      Map<String, String> settings = new HashMap<>();
      settings.put("spark.plugins", "io.symshuffle.SymShufflePlugin");
      settings.put("spark.symshuffle.heap.size", "4g");
      try (Application application = start(memory, settings, containers)) {
        List<Long> executors = pids(application);
        for (int i = 0; i < REPARTITIONS; i++) {
          measure(application, new Request.Case("repartition", ROWS, 0, 64, true, rows()));
        }
        assertEquals(0, containers.kills());
        assertEquals(executors, pids(application));
        containers.charges().forEach(charge -> assertTrue(charge <= container, "" + charge));
      }
    }
    assertEquals(EXECUTORS, logsWith("The heap stops growing"));
  }

  /** The settings that {@code tune} prints for machines with 5 GiB for two executors. */
  private Map<String, String> tune() throws Exception {
    ChildProcess.Result tune =
        BuiltCommand.of(
                List.of(
                    "tune",
                    "--json",
                    "--cores=32",
                    "--memory=5g",
                    "--shared-memory=8g",
                    "--gpus=0"))
            .run(BuiltCommand.LIMIT);
    String json = tune.output().substring(Math.max(0, tune.output().indexOf("{\n")));
    Map<String, String> settings = new HashMap<>();
    for (JsonNode setting : new ObjectMapper().readTree(json).path("settings")) {
      settings.put(setting.path("key").asText(), setting.path("value").asText());
    }
    assertEquals("16", settings.remove("spark.executor.cores"), tune.output());
    return settings;
  }

  private Application start(long memory, Map<String, String> settings, Containers containers)
      throws IOException {
    Map<String, String> all = new HashMap<>(settings);
    all.putAll(containers.settings());
    Application application =
        Application.start(
            new ApplicationSpec(
                "containers",
                new SparkMaster("local-cluster[%d,1,%d]".formatted(EXECUTORS, memory / MIB)),
                "1g",
                all,
                true,
                List.of(),
                folder.resolve("application")),
            BuiltCommand.runtime(jars),
            new Console(QUIET, false));
    try {
      application.awaitReady(BuiltCommand.LIMIT);
      return application;
    } catch (RuntimeException e) {
      application.close();
      throw e;
    }
  }

  private static List<Long> pids(Application application) {
    return application.executors().stream().map(ProcessHandle::pid).sorted().toList();
  }

  private static Reply ask(Application application, Request request) {
    Reply reply =
        application.ask(
            request, request.getClass().getSimpleName(), BuiltCommand.LIMIT, progress -> {});
    assertFalse(reply instanceof Reply.Failed, () -> request + ": " + reply);
    return reply;
  }

  private static void measure(Application application, Request request) {
    Reply reply = ask(application, request);
    assertInstanceOf(Reply.Measured.class, reply, () -> request + ": " + reply);
  }

  private String rows() {
    return folder.resolve("rows.txt").toString();
  }

  /** Number of executors whose log contains a text. */
  private long logsWith(String text) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("application/work"))) {
      long logs = 0;
      for (Path file : files.filter(path -> path.endsWith("stderr")).toList()) {
        logs += Files.readString(file).contains(text) ? 1 : 0;
      }
      return logs;
    }
  }

  private static long bytes(Map<String, String> settings, String key) {
    return ByteSize.parse(settings.get(key)).bytes();
  }

  private static List<Long> mib(List<Long> bytes) {
    return bytes.stream().map(each -> each / MIB).toList();
  }
}
