// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Runs the commands of the page "Getting started" for each way to start Spark, word for word. Spark
 * comes from Maven, without its scripts, so each script here calls the class that Spark's script
 * calls.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class WaysToStartIT {
  private static final Path PAGE = Path.of("..", "docs", "getting-started.md");
  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final String CONNECT_SERVER =
      "org.apache.spark.sql.connect.service.SparkConnectServer";

  @TempDir private Path folder;
  private SparkHome home;

  @BeforeEach
  void installSpark() throws IOException {
    home = SparkHome.create(folder.resolve("spark"));
    script("bin/spark-submit", "exec %s org.apache.spark.deploy.SparkSubmit \"$@\"");
    script(
        "sbin/start-connect-server.sh",
        """
        %s org.apache.spark.deploy.SparkSubmit --class CLASS "$@" spark-internal < /dev/null > connect.log 2>&1 &
        echo $! > connect.pid
        for i in $(seq 480); do
          grep -q 'Spark Connect server started' connect.log && exit 0
          kill -0 $(cat connect.pid) || break
          sleep 0.5
        done
        cat connect.log
        exit 1
        """
            .replace("CLASS", CONNECT_SERVER));
    script(
        "sbin/stop-connect-server.sh",
        """
        kill $(cat connect.pid)
        while kill -0 $(cat connect.pid) 2> /dev/null; do sleep 0.2; done
        rm connect.pid
        """);
  }

  @Test
  void sparkSubmit() throws IOException {
    assertOutput("100 groups, as with sort shuffle: true", run("spark-submit"));
  }

  @Test
  @Tag("long")
  void structuredStreaming() throws IOException {
    String output = run("Structured Streaming");
    assertOutput("[0,10000], as with sort shuffle: true", output);
    assertOutput("[0,20000], as with sort shuffle: true", output);
  }

  @Test
  @Tag("long")
  void sparkConnect() throws IOException {
    add("spark-connect", "jars");
    add("spark-pipelines", "jars");
    add("spark-connect-client-jvm", "jars/connect-repl");
    try {
      assertOutput("100 groups, as with sort shuffle: true", run("Spark Connect"));
      String log = Files.readString(folder.resolve("connect.log"));
      assertTrue(log.contains("Executor driver is PE 0"), log);
    } finally {
      bash("if [ -f connect.pid ]; then kill -9 $(cat connect.pid) || true; fi");
    }
  }

  private void assertOutput(String line, String output) {
    assertTrue(output.lines().anyMatch(line::equals), output);
  }

  /** Runs the commands of a section. Returns their output. */
  private String run(String section) throws IOException {
    Matcher commands =
        Pattern.compile("(?s)\n### %s\n(?:(?!\n###? ).)*?```shell\n(.*?)```".formatted(section))
            .matcher(Files.readString(PAGE));
    assertTrue(commands.find(), "no commands in section " + section);
    return bash(commands.group(1));
  }

  private String bash(String commands) {
    Map<String, String> environment = new HashMap<>(home.environment());
    environment.put("SYMSHUFFLE_JAR", Jars.plugin().toString());
    environment.put(
        "PATH", Path.of(System.getProperty("java.home"), "bin") + ":" + System.getenv("PATH"));
    ChildProcess.Result result =
        ChildProcess.of("bash", "-euo", "pipefail", "-c", commands)
            .name("getting started")
            .folder(folder)
            .withoutEnvironment("SPARK_")
            .environment(environment)
            .run(LIMIT);
    assertEquals(0, result.status(), result.output());
    return result.output();
  }

  private void script(String name, String text) throws IOException {
    String java =
        home.java(1024).stream()
            .map(argument -> "'" + argument + "'")
            .collect(Collectors.joining(" "));
    Path file = home.folder().resolve(name);
    Files.createDirectories(file.getParent());
    // Without Spark's scripts, nothing else sets these.
    String settings =
        " -Dspark.ui.enabled=false -Dspark.driver.host=127.0.0.1 -Dspark.local.dir="
            + folder.resolve("local");
    Files.writeString(
        file,
        "#!/usr/bin/env bash\n"
            + text.formatted(java.replaceFirst("' ", "'" + settings + " ")).strip()
            + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Adds a jar of Spark that only this test needs, or skips the test. */
  private void add(String artifact, String to) {
    Path maven = Path.of(System.getProperty("symshuffle.maven.home"), "bin", "mvn");
    String version = org.apache.spark.package$.MODULE$.SPARK_VERSION();
    List<String> command =
        List.of(
            maven.toString(),
            "-q",
            "-B",
            "-ntp",
            "-Dmaven.repo.local=" + System.getProperty("symshuffle.maven.repository"),
            "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy",
            "-Dartifact=org.apache.spark:%s_2.13:%s".formatted(artifact, version),
            "-DoutputDirectory=" + home.folder().resolve(to));
    ChildProcess.Result result =
        ChildProcess.of(command).name("mvn " + artifact).folder(folder).run(LIMIT);
    assumeTrue(result.status() == 0, artifact + " cannot be downloaded: " + result.output());
  }
}
