// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.benchmarks.launch.WorkerCluster;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.heap.SharedMemory;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.process.SparkSubmission;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The recipe for a node with 8 GPUs in {@code docs/kubernetes.md}, with the files that it names,
 * uses all of them: on fakes of the CUDA driver and of {@code nvidia-smi}.
 */
@Tag("long")
class GpuNodeIT {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final int GPUS = 8;

  @TempDir private Path folder;

  @TempDir(factory = SharedMemory.class)
  private Path heaps;

  private SparkHome home;

  @BeforeEach
  void installFakes() throws IOException {
    FakeGpus.compile(folder);
    Files.writeString(folder.resolve("cuda/script"), "devices=%d%n".formatted(GPUS));
    Path list = Files.createDirectories(folder.resolve("bin")).resolve("nvidia-smi");
    Files.writeString(
        list, "#!/bin/sh\nfor i in $(seq 0 %d); do echo \"$i, [N/A]\"; done\n".formatted(GPUS - 1));
    Files.setPosixFilePermissions(list, PosixFilePermissions.fromString("rwxr-xr-x"));
    home = SparkHome.create(folder.resolve("home"));
  }

  @Test
  void everyGpuOfTheNodeHasAnExecutor() throws IOException {
    try (WorkerCluster cluster = home.cluster(folder, List.of(), WorkerCluster.HERE, List.of());
        ChildProcess worker = worker(cluster.master().url())) {
      worker.awaitOutput(Pattern.compile("Successfully registered with master"), Await.LIMIT);
      SparkSubmission submission =
          SparkSubmission.of(home, GpuNodeProgram.class)
              .master(cluster.master().url())
              .arguments(Integer.toString(GPUS));
      recipe().forEach(submission::conf);
      forThisMachine().forEach(submission::conf);
      try (ChildProcess application = submission.start(folder)) {
        assertEquals(0, application.awaitEnd(Await.LIMIT), application::output);
        application.awaitOutput(Pattern.compile("executors=8 gpus=8 cores=96"), Duration.ZERO);
      }
    }
  }

  /** The worker's container of the StatefulSet, with its arguments and its environment. */
  private ChildProcess worker(String url) throws IOException {
    List<Object> documents = new ArrayList<>();
    try (Reader file =
        Files.newBufferedReader(HOME.resolve("conf/kubernetes/standalone-gpu.yaml"))) {
      new Yaml().loadAll(file).forEach(documents::add);
    }
    JsonNode container =
        new ObjectMapper()
            .<JsonNode>valueToTree(documents.getLast())
            .at("/spec/template/spec/containers/0");
    String options =
        container.at("/env/0/value").asText().replace("/opt/symshuffle", HOME.toString());
    List<String> command = new ArrayList<>(home.java(512));
    command.addAll(1, Arrays.asList(options.strip().split("\\s+", -1)));
    command.addAll(List.of("org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1"));
    for (JsonNode argument : container.get("args")) {
      command.add(
          switch (argument.asText()) {
            case "8081" -> "0";
            case "spark://spark-master:7077" -> url;
            default -> argument.asText();
          });
    }
    command.addAll(command.size() - 1, List.of("--work-dir", folder.resolve("work").toString()));
    return home.process(command)
        .environment(Map.of("PATH", folder.resolve("bin") + ":" + System.getenv("PATH")))
        .name("worker")
        .log(folder.resolve("worker.log"))
        .start();
  }

  /** The settings of the file, changed as the page says. */
  private static Map<String, String> recipe() throws IOException {
    Map<String, String> settings =
        SparkDefaults.read(HOME.resolve("conf/spark-defaults-standalone-gpu.conf"));
    settings.remove("spark.jars");
    String page = Files.readString(HOME.resolve("docs/kubernetes.md")).replaceAll("\\s+", " ");
    for (String key :
        List.of("spark.executor.cores", "spark.task.resource.gpu.amount", "spark.cores.max")) {
      Matcher change =
          Pattern.compile("`%s` to ([0-9.]*[0-9])".formatted(Pattern.quote(key))).matcher(page);
      assertTrue(change.find(), "the page does not change " + key);
      settings.put(key, change.group(1));
    }
    settings.put("spark.symshuffle.device.pes", Integer.toString(GPUS));
    return settings;
  }

  /** What differs here: fakes in the place of RAPIDS and of GPUs, and less memory. */
  private Map<String, String> forThisMachine() {
    List<Path> ours = new ArrayList<>(Jars.sharedFirst());
    ours.addAll(Jars.harness());
    ours.add(Jars.plugin());
    String classPath = Jars.join(ours);
    return Map.ofEntries(
        Map.entry(
            FakeTablesPlugin.SETTING.substring(0, FakeTablesPlugin.SETTING.indexOf('=')),
            FakeTablesPlugin.SETTING.substring(FakeTablesPlugin.SETTING.indexOf('=') + 1)),
        Map.entry("spark.driver.extraClassPath", classPath),
        Map.entry("spark.executor.extraClassPath", classPath),
        Map.entry(
            "spark.executor.extraJavaOptions",
            "-Xms32m -XX:+UseSerialGC " + SparkSubmission.SPARKS_LOG),
        Map.entry("spark.executorEnv.LD_LIBRARY_PATH", folder.resolve("cuda").toString()),
        Map.entry("spark.symshuffle.device.backend", "cuda"),
        Map.entry("spark.symshuffle.device.required", "true"),
        Map.entry("spark.symshuffle.device.heap.size", "16m"),
        Map.entry("spark.symshuffle.device.chunk.size", "2m"),
        Map.entry("spark.symshuffle.heap.size", "8m"),
        Map.entry("spark.symshuffle.heap.dir", heaps.toString()),
        Map.entry("spark.local.dir", folder.resolve("local").toString()));
  }
}
