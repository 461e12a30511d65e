// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.command;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.it.Folders;
import io.symshuffle.it.process.HostsApplication;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The benchmark as users run it: in its own process, with real hosts and applications. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class HostsCommandIT {
  private static final Path NAMESPACES = Path.of("/run/netns");

  // Not in /tmp, since each host has its own.
  private Path folder;

  @BeforeEach
  void skipWithoutHosts(TestInfo test) throws IOException {
    String name = "HostsCommandIT-" + test.getTestMethod().orElseThrow().getName();
    folder = Path.of("target", "it-work", name).toAbsolutePath();
    Optional<String> obstacle = HostsApplication.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    Folders.delete(folder);
    Files.createDirectories(folder);
  }

  @Test
  @Tag("long")
  void comparesManagersOnHosts() throws Exception {
    ChildProcess.Result result =
        command(
                List.of("demo", "--data", folder.resolve("data").toString()),
                "--rate=1gbit,none",
                "--queries=q3,q4",
                "--scale=0.01",
                "--starts=1",
                "--runs=1")
            .run(Await.LIMIT);
    assertEquals(0, result.status(), result::output);
    assertTrue(
        result.output().contains("demo: 2 queries on links of 2 rates, 0 differ"), result::output);
    check("demo.json", List.of("1gbit q3", "none q3", "1gbit q4", "none q4"));
  }

  @Test
  void countsBytesOfCasesOnTheLinks() throws Exception {
    ChildProcess.Result result =
        command(
                List.of("bench", "shuffle"),
                "--rate=1gbit",
                "--rate=none",
                "--cases=repartition",
                "--partitions=8",
                "--rows=100000",
                "--managers=sort,symshuffle",
                "--warm-ups=0",
                "--starts=1",
                "--runs=1",
                // As on machines without iproute2.
                "--iproute=" + iproute())
            .run(Await.LIMIT);
    assertEquals(0, result.status(), result::output);
    JsonNode results = check("shuffle.json", List.of("1gbit repartition", "none repartition"));
    for (JsonNode cost : results.path(0).path("costs")) {
      // 50,000 rows of four columns cross the links, compressed to 3 bytes a row at least.
      assertTrue(cost.path("medianSentBytes").asDouble() > 150_000, cost::toString);
    }
  }

  /** A folder with the programs of this machine and their libraries. */
  private Path iproute() throws IOException {
    Path tools = folder.resolve("iproute");
    Files.createDirectories(tools.resolve("bin"));
    Files.createDirectories(tools.resolve("lib"));
    for (String tool : List.of("ip", "tc")) {
      for (String path : List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin")) {
        if (Files.exists(Path.of(path, tool)) && !Files.exists(tools.resolve("bin/" + tool))) {
          Files.copy(Path.of(path, tool), tools.resolve("bin/" + tool));
        }
      }
    }
    return tools;
  }

  /** Checks the order of the results, that their bytes are counted, and that all ran as tasks. */
  private JsonNode check(String json, List<String> names) throws IOException {
    JsonNode report = new ObjectMapper().readTree(folder.resolve("out/" + json).toFile());
    List<String> order = new ArrayList<>();
    report
        .path("results")
        .forEach(job -> order.add(job.path("rate").asText() + " " + job.path("job").asText()));
    assertEquals(names, order, "rates in turn");
    assertTrue(report.path("complete").asBoolean());
    for (JsonNode job : report.path("results")) {
      for (JsonNode cost : job.path("costs")) {
        assertAll(
            job.toString(),
            () -> assertTrue(cost.path("medianSentBytes").asDouble() > 1_000),
            () -> assertTrue(cost.path("medianCpuSeconds").asDouble() > 0),
            () -> assertTrue(cost.path("executors").has("garbage.collection.seconds")),
            () -> assertTrue(cost.path("stages").path(0).path("runSeconds").asDouble() > 0));
      }
    }
    for (JsonNode job : report.path("results")) {
      JsonNode entries = job.path("outcome").path("entries");
      int tasks = entries.path(0).path("figures").path("tasks").asInt();
      entries.forEach(
          entry -> assertEquals(tasks, entry.path("figures").path("tasks").asInt(), job::toString));
    }
    return report.path("results");
  }

  @Test
  void ctrlCRemovesHosts() throws Exception {
    try (ChildProcess bench =
        command(
                List.of("bench", "shuffle"),
                "--cases=repartition",
                "--runs=1000",
                "--managers=sort")
            .start()) {
      bench.awaitOutput(Pattern.compile("sort: .*, 2 executors"), Await.LIMIT);
      List<ProcessHandle> children = bench.handle().descendants().toList();
      Path host = NAMESPACES.resolve("symh" + group(children) + "x0");
      assertTrue(Files.exists(host), host::toString);
      bench.signal("INT");
      int status = bench.awaitEnd(Await.LIMIT);
      String json = Files.readString(folder.resolve("out/shuffle.json"));
      assertAll(
          bench.output(),
          () -> assertTrue(bench.output().contains("all managers ran 0 of 1 case, 0 as")),
          () -> assertTrue(json.contains("\"complete\" : false"), json),
          () -> assertEquals(130, status),
          () -> assertFalse(Files.exists(host)),
          () -> assertEquals(List.of(), children.stream().filter(ProcessHandle::isAlive).toList()));
    }
  }

  /** The number of the hosts, from the address of the first worker. */
  private static String group(List<ProcessHandle> processes) throws IOException {
    Pattern address = Pattern.compile("--host\\x0010\\.79\\.(\\d+)\\.10\\x00");
    for (ProcessHandle process : processes) {
      Path line = Path.of("/proc", process.pid() + "", "cmdline");
      // A script that asked or changed the hosts may have ended.
      Matcher matcher = address.matcher(process.isAlive() ? Files.readString(line) : "");
      if (matcher.find()) {
        return matcher.group(1);
      }
    }
    throw new AssertionError("no worker among " + processes);
  }

  private ChildProcess.Builder command(List<String> command, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(command);
    arguments.addAll(List.of("--hosts=2", "--out", folder.resolve("out").toString()));
    arguments.addAll(Arrays.asList(options));
    return BuiltCommand.of(arguments);
  }
}
