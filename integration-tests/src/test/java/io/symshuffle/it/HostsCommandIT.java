// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.it.process.HostsApplication;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The benchmark as users run it: in its own process, with real hosts and applications. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class HostsCommandIT {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Path NAMESPACES = Path.of("/run/netns");

  // Not in /tmp, since each host has its own.
  private final Path folder = Path.of("target", "it-work", "HostsCommandIT").toAbsolutePath();

  @BeforeEach
  void skipWithoutHosts() throws IOException {
    Optional<String> obstacle = HostsApplication.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    Folders.delete(folder);
    Files.createDirectories(folder);
  }

  @Test
  @Tag("long")
  void comparesManagersOnHosts() throws Exception {
    Path json = folder.resolve("hosts.json");
    ChildProcess.Result result =
        bench(
                "--rates=1gbit,none",
                "--cases=repartition,tpch",
                "--rows=100000",
                "--queries=q3,q4",
                "--scale=0.01",
                "--runs=1",
                "--json=" + json)
            .run(LIMIT);
    assertEquals(0, result.status(), result::output);
    assertTrue(result.output().strip().endsWith("bench hosts: 6 jobs, 0 differ"), result::output);
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    List<String> order = new ArrayList<>();
    report
        .path("results")
        .forEach(job -> order.add(job.path("rate").asText() + " " + job.path("job").asText()));
    assertEquals(
        List.of(
            "1gbit repartition", "none repartition", "1gbit q3", "none q3", "1gbit q4", "none q4"),
        order,
        "rates in turn");
    for (JsonNode job : report.path("results")) {
      for (JsonNode cost : job.path("costs")) {
        assertAll(
            job.toString(),
            () -> assertTrue(cost.path("medianSentBytes").asDouble() > 1_000),
            () -> assertTrue(cost.path("medianCpuSeconds").asDouble() > 0));
      }
    }
    for (JsonNode job : report.path("results")) {
      JsonNode entries = job.path("outcome").path("entries");
      int tasks = entries.path(0).path("figures").path("tasks").asInt();
      entries.forEach(
          entry -> assertEquals(tasks, entry.path("figures").path("tasks").asInt(), job::toString));
    }
    JsonNode repartition = report.path("results").path(0).path("costs");
    double sort = repartition.path(0).path("medianSentBytes").asDouble();
    double ours = repartition.path(2).path("medianSentBytes").asDouble();
    // 50,000 rows cross the links, as 8-byte values at least without compression.
    assertTrue(sort > 300_000 && ours > 300_000, repartition::toString);
  }

  @Test
  void ctrlCRemovesHosts() throws Exception {
    try (ChildProcess bench =
        bench("--cases=repartition", "--runs=1000", "--managers=sort").start()) {
      bench.awaitOutput(Pattern.compile("Starting 1 applications"), LIMIT);
      List<ProcessHandle> children = bench.handle().descendants().toList();
      Path host = NAMESPACES.resolve("symh" + group(children) + "x0");
      assertTrue(Files.exists(host), host::toString);
      bench.signal("INT");
      int status = bench.awaitEnd(Duration.ofMinutes(1));
      assertAll(
          bench.output(),
          () -> assertEquals(130, status),
          () -> assertFalse(Files.exists(host)),
          () -> assertEquals(List.of(), children.stream().filter(ProcessHandle::isAlive).toList()));
    }
  }

  /** The number of the hosts, from the address of the first worker. */
  private static String group(List<ProcessHandle> processes) throws IOException {
    Pattern address = Pattern.compile("--host\\x0010\\.79\\.(\\d+)\\.10\\x00");
    for (ProcessHandle process : processes) {
      Matcher matcher =
          address.matcher(Files.readString(Path.of("/proc", process.pid() + "", "cmdline")));
      if (matcher.find()) {
        return matcher.group(1);
      }
    }
    throw new AssertionError("no worker among " + processes);
  }

  private ChildProcess.Builder bench(String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("bench", "hosts"));
    arguments.addAll(List.of("--data", folder.resolve("data").toString()));
    arguments.addAll(List.of("--out", folder.resolve("out").toString()));
    arguments.addAll(Arrays.asList(options));
    return BuiltCommand.of(arguments);
  }
}
