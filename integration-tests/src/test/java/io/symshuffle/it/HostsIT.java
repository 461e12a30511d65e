// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.it.process.Hosts;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.program.HostsProgram;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application whose executors are on different hosts: network namespaces of this machine. Host 0
 * runs the master and the driver, the others one executor each.
 */
@Execution(ExecutionMode.CONCURRENT)
class HostsIT {
  private static final Path WORK = Path.of("target", "it-work", "HostsIT").toAbsolutePath();
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final List<ChildProcess> processes = new ArrayList<>();
  private SparkHome home;
  private Hosts hosts;
  private int rounds;

  /** What a round needed. */
  private record Round(String answer, long bytesOnLinks) {}

  @BeforeEach
  void skipWithoutRoot() {
    Optional<String> obstacle = Hosts.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    Folders.delete(WORK);
    home = SparkHome.create(WORK.resolve("spark-home"), List.of(Jars.plugin()));
  }

  @AfterEach
  void removeHosts() {
    processes.reversed().forEach(ChildProcess::close);
    if (hosts != null) {
      hosts.close();
    }
  }

  @Test
  void sendsFewerBytesThanSortShuffle() {
    assertFewerBytes(start(3, 100_000, "lz4", "none"));
  }

  @Test
  @Tag("long")
  void compressesOnNarrowLinksByItself() {
    assertFewerBytes(start(3, 2_000_000, "auto", "300mbit"));
  }

  /** Compares with sort shuffle after a round in which {@code auto} measures the link. */
  private void assertFewerBytes(ChildProcess driver) {
    round(driver, "ours");
    Round ours = round(driver, "ours");
    Round sort = round(driver, "sort");
    assertEquals(sort.answer, ours.answer);
    assertTrue(ours.bytesOnLinks < sort.bytesOnLinks, ours + ", sort shuffle: " + sort);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"1gbit delay 50ms", "1gbit loss 2%", "none delay 1ms 5ms"})
  void givesSameAnswerOnBadLinks(String link) {
    ChildProcess driver = start(4, 300_000, "lz4", link.split(" ", -1));
    assertEquals(round(driver, "sort").answer, round(driver, "ours").answer);
  }

  /** Starts an application on hosts with such links. */
  private ChildProcess start(int count, long rows, String compression, String... link) {
    hosts = Hosts.create(WORK, count, link);
    ChildProcess master =
        launch(
            0,
            "master",
            List.of(
                "org.apache.spark.deploy.master.Master",
                "--host",
                hosts.address(0),
                "--port",
                "7077",
                "--webui-port",
                "0"));
    master.awaitOutput(Pattern.compile("Starting Spark master at"), LIMIT);
    String url = "spark://" + hosts.address(0) + ":7077";
    List<ChildProcess> workers = new ArrayList<>();
    for (int host = 1; host < count; host++) {
      workers.add(
          launch(
              host,
              "worker-" + host,
              List.of(
                  "org.apache.spark.deploy.worker.Worker",
                  "--host",
                  hosts.address(host),
                  "--webui-port",
                  "0",
                  "--cores",
                  "1",
                  "--memory",
                  "1g",
                  "--work-dir",
                  WORK.resolve("work-" + host).toString(),
                  url)));
    }
    workers.forEach(
        worker ->
            worker.awaitOutput(Pattern.compile("Successfully registered with master"), LIMIT));
    List<String> submit = new ArrayList<>();
    Collections.addAll(
        submit,
        "org.apache.spark.deploy.SparkSubmit",
        "--master",
        url,
        "--class",
        HostsProgram.class.getName());
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.plugins", "io.symshuffle.SymShufflePlugin");
    conf.put("spark.symshuffle.transfer.compression", compression);
    conf.put("spark.driver.host", hosts.address(0));
    conf.put("spark.driver.bindAddress", hosts.address(0));
    conf.put("spark.executor.memory", "700m");
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.sql.shuffle.partitions", "8");
    conf.forEach((key, value) -> Collections.addAll(submit, "--conf", key + "=" + value));
    submit.add(Jars.holding(HostsProgram.class, WORK).toString());
    submit.add(Long.toString(rows));
    ChildProcess driver = launch(0, "driver", submit);
    driver.awaitOutput(Pattern.compile("(?m)^ready$"), LIMIT);
    return driver;
  }

  private ChildProcess launch(int host, String name, List<String> arguments) {
    List<String> command = new ArrayList<>(home.java(512));
    command.addAll(arguments);
    ChildProcess process =
        home.process(hosts.on(host, command))
            .environment(Map.of("SPARK_LOCAL_IP", hosts.address(host)))
            .name(name)
            .log(WORK.resolve(name + ".log"))
            .start();
    processes.add(process);
    return process;
  }

  private Round round(ChildProcess driver, String manager) {
    long before = hosts.bytes();
    String name = manager + "-" + ++rounds;
    driver.send(name);
    String answer =
        driver.awaitOutput(Pattern.compile("answer=(.*) of " + name + "\n"), LIMIT).group(1);
    return new Round(answer, hosts.bytes() - before);
  }
}
