// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.heap.SharedMemory;
import io.symshuffle.it.Folders;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Runs the commands of the page "Getting started", with its programs, for each way to start Spark,
 * word for word. Spark comes from Maven, without its scripts, so each script here calls the class
 * that Spark's script calls.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class WaysToStartIT {
  private static final Path DOCS = Path.of("..", "docs");
  private static final String CONNECT_SERVER =
      "org.apache.spark.sql.connect.service.SparkConnectServer";

  /** What is left of 300,000 rows after the program of the page has merged its changes. */
  private static final String MERGED = "[250000,1949994,-145489634601920413]";

  @TempDir private Path folder;

  @TempDir(factory = SharedMemory.class)
  private Path heaps;

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
        for i in $(seq 3000); do
          grep -q 'Spark Connect server started' connect.log && exit 0
          kill -0 $(cat connect.pid) || break
          sleep 0.5
        done
        cat connect.log
        exit 1
        """
            .replace("CLASS", CONNECT_SERVER));
  }

  @BeforeEach
  void copyPrograms() throws IOException {
    try (Stream<Path> programs = Files.list(DOCS.resolve("examples"))) {
      for (Path program : programs.toList()) {
        Files.copy(program, folder.resolve(program.getFileName()));
      }
    }
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
    // Saves the heap of the server before it ends: it must be empty after the queries.
    script(
        "sbin/stop-connect-server.sh",
        """
        cp -r --sparse=always %s saved
        kill $(cat connect.pid)
        while kill -0 $(cat connect.pid) 2> /dev/null; do sleep 0.2; done
        rm connect.pid
        """
            .formatted(heaps));
    add("spark-connect", "jars");
    add("spark-pipelines", "jars");
    add("spark-connect-client-jvm", "jars/connect-repl");
    try {
      assertOutput("100 groups, as with sort shuffle: true", run("Spark Connect"));
      String log = Files.readString(folder.resolve("connect.log"));
      assertTrue(log.contains("Executor driver is PE 0"), log);
      List<Path> saved =
          Folders.under(folder.resolve("saved"))
              .filter(path -> path.toString().endsWith(".heap"))
              .toList();
      assertEquals(1, saved.size(), saved.toString());
      assertEquals(0, HeapDirectories.entries(saved), "map outputs after the last query");
    } finally {
      bash("if [ -f connect.pid ]; then kill -9 $(cat connect.pid) || true; fi");
    }
  }

  @Test
  @Tag("long")
  void pySpark() throws IOException {
    linkPython();
    String output = run("PySpark");
    assertOutput("10 groups, as with sort shuffle: True", output);
    assertOutput("sums of the RDD as expected: True", output);
    ShuffleEvents.read(folder.resolve("events")).assertAllMapOutputsAreOurs("BatchEvalPython");
  }

  @Test
  @Tag("long")
  void pySparkWithArrow() throws IOException {
    linkPython();
    assumeArrow();
    String output = bash(commands("PySpark").get(1));
    for (String rows :
        List.of(
            "10 rows of a pandas UDF",
            "50000 rows of applyInPandas",
            "10000 rows of mapInPandas",
            "50000 rows of cogroup")) {
      assertOutput(rows + ", as with sort shuffle: True", output);
    }
    ShuffleEvents.read(folder.resolve("events"))
        .assertAllMapOutputsAreOurs(
            "MapInArrow",
            "ArrowEvalPython",
            "total(square",
            "FlatMapGroupsInPandas",
            "MapInPandas",
            "FlatMapCoGroupsInPandas");
  }

  @Test
  @Tag("long")
  void pythonWorkersAndExecutorsMayBeKilled() throws IOException {
    linkPython();
    killPython("", "the map stage", "the reduce stage", "the reduce stage of an RDD");
  }

  @Test
  @Tag("long")
  void pythonWorkersAndExecutorsMayBeKilledWithArrow() throws IOException {
    linkPython();
    assumeArrow();
    killPython(
        "arrow",
        "mapInArrow before an exchange",
        "applyInPandas after an exchange",
        "a cogroup after two exchanges");
  }

  @Test
  @Tag("long")
  void deltaLake() throws IOException {
    merge("io.delta:delta-spark_", 1, "MergeIntoCommand", "OptimizeTableCommand");
  }

  @Test
  @Tag("long")
  void iceberg() throws IOException {
    merge("org.apache.iceberg:iceberg-spark-runtime-", 2, "MergeRows", "Rewriting");
  }

  /**
   * Kills Python workers and executors while they run Python functions, and checks the answers.
   *
   * @param option of the program
   * @param places where the program kills them
   */
  private void killPython(String option, String... places) throws IOException {
    String output =
        bash(
            """
            mkdir marks
            "$SPARK_HOME/bin/spark-submit" --master 'local-cluster[2,1,1024]' \
              --jars "$SYMSHUFFLE_JAR" --conf spark.plugins=io.symshuffle.SymShufflePlugin \
              --conf spark.sql.shuffle.partitions=4 %s $PWD/marks %s
            """
                .formatted(
                    Path.of("src", "test", "resources", "python-faults.py").toAbsolutePath(),
                    option));
    for (String victim : List.of("worker", "executor")) {
      for (String place : places) {
        assertOutput(
            "%s in %s: rows are right: True, killed: True".formatted(victim, place), output);
      }
    }
    ShuffleEvents events = ShuffleEvents.read(folder.resolve("events"));
    assertTrue(events.mapOutputs() > 0, events::toString);
  }

  /**
   * Runs the program that merges and compacts, and checks that SymShuffle did its shuffles.
   *
   * @param artifact start of the name of the table format's package
   * @param block number of its commands in the section
   * @param queries text in the descriptions or plans of queries that shuffle
   */
  private void merge(String artifact, int block, String... queries) throws IOException {
    List<String> blocks = commands("Delta Lake and Iceberg");
    Matcher name =
        Pattern.compile("--packages (%s([0-9.]+)_2\\.13:\\S+)".formatted(artifact))
            .matcher(blocks.get(block));
    assertTrue(name.find(), blocks.get(block));
    assumeTrue(
        org.apache.spark.package$.MODULE$.SPARK_VERSION().startsWith(name.group(2) + "."),
        name.group(1) + " is for another version of Spark");
    download(name.group(1));
    String output = bash(blocks.getFirst() + blocks.get(block));
    assertOutput(MERGED + ", as with sort shuffle: true", output);
    ShuffleEvents.read(folder.resolve("events")).assertAllMapOutputsAreOurs(queries);
  }

  private void assertOutput(String line, String output) {
    assertTrue(output.lines().anyMatch(line::equals), output);
  }

  /** Runs the first commands of a section. Returns their output. */
  private String run(String section) throws IOException {
    return bash(commands(section).getFirst());
  }

  /** Returns the commands of a section, block by block. */
  private static List<String> commands(String section) throws IOException {
    Matcher text =
        Pattern.compile("(?s)\n### %s\n(.*?)(?=\n###? )".formatted(section))
            .matcher(Files.readString(DOCS.resolve("getting-started.md")));
    assertTrue(text.find(), "no section " + section);
    List<String> blocks =
        Pattern.compile("(?s)```shell\n(.*?)```")
            .matcher(text.group(1))
            .results()
            .map(block -> block.group(1))
            .toList();
    assertFalse(blocks.isEmpty(), "no commands in section " + section);
    return blocks;
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
            .run(Await.LIMIT);
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
            + folder.resolve("local")
            + " -Dspark.jars.ivy="
            + folder.resolve("ivy")
            + " -Dspark.eventLog.enabled=true -Dspark.eventLog.compress=false -Dspark.eventLog.dir="
            + Folders.create(folder.resolve("events")).toUri()
            // The default is 50 tasks for each version of a table, which takes minutes on two
            // cores.
            + " -Dspark.databricks.delta.snapshotPartitions=2"
            + " -Dspark.symshuffle.heap.size=64m -Dspark.symshuffle.heap.dir="
            + heaps;
    Files.writeString(
        file,
        "#!/usr/bin/env bash\n"
            + text.formatted(java.replaceFirst("' ", "'" + settings + " ")).strip()
            + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Adds Python's side of Spark, which Maven does not have, or skips the test. */
  private void linkPython() throws IOException {
    String python = System.getenv("PYSPARK_FOLDER");
    assumeTrue(
        python != null, "PYSPARK_FOLDER is not set to the folder python of a Spark distribution");
    Path libraries = Path.of(python, "lib");
    assertTrue(
        Files.isRegularFile(libraries.resolve("pyspark.zip")), "no pyspark.zip in " + libraries);
    Files.createSymbolicLink(home.folder().resolve("python"), Path.of(python).toAbsolutePath());
  }

  /** Skips the test if the Python that PySpark starts has no Arrow. */
  private void assumeArrow() {
    String python = System.getenv().getOrDefault("PYSPARK_PYTHON", "python3");
    ChildProcess.Result result =
        ChildProcess.of(python, "-c", "import pandas, pyarrow").folder(folder).run(Await.LIMIT);
    assumeTrue(result.status() == 0, python + " has no pandas or pyarrow: " + result.output());
  }

  /** Adds a jar of Spark that only this test needs, or skips the test. */
  private void add(String artifact, String to) {
    String version = org.apache.spark.package$.MODULE$.SPARK_VERSION();
    maven(
        "copy",
        "org.apache.spark:%s_2.13:%s".formatted(artifact, version),
        "-DoutputDirectory=" + home.folder().resolve(to));
  }

  /** Downloads a package, which Spark then finds in Maven's repository, or skips the test. */
  private void download(String artifact) {
    maven("get", artifact);
  }

  private void maven(String goal, String artifact, String... options) {
    Path maven = Path.of(System.getProperty("symshuffle.maven.home"), "bin", "mvn");
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            maven.toString(),
            "-q",
            "-B",
            "-ntp",
            "-Dmaven.repo.local=" + System.getProperty("symshuffle.maven.repository"),
            "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:" + goal,
            "-Dartifact=" + artifact));
    Collections.addAll(command, options);
    ChildProcess.Result result =
        ChildProcess.of(command).name("mvn " + artifact).folder(folder).run(Await.LIMIT);
    assumeTrue(result.status() == 0, artifact + " cannot be downloaded: " + result.output());
  }
}
