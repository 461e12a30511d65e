// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ConfigReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.network.util.JavaUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/** The files in conf for Kubernetes are valid and agree with each other. */
class KubernetesFilesTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Path CONF = HOME.resolve("conf");
  private static final Path FOLDER = CONF.resolve("kubernetes");

  static List<Path> podTemplates() throws IOException {
    List<Path> templates = new ArrayList<>(List.of(CONF.resolve("kubernetes-executor-pod.yaml")));
    try (Stream<Path> files = Files.list(FOLDER)) {
      files
          .filter(file -> file.getFileName().toString().startsWith("executor-"))
          .sorted()
          .forEach(templates::add);
    }
    assertTrue(templates.size() >= 3, templates.toString());
    return templates;
  }

  @ParameterizedTest
  @MethodSource("podTemplates")
  void podTemplateMountsSharedMemoryAndADisk(Path file) throws IOException {
    JsonNode pod = documents(file).getFirst();
    JsonNode container = pod.at("/spec/containers/0");
    JsonNode shared = volumeAt(pod.get("spec"), container, "/dev/shm");
    JsonNode disk = volumeAt(pod.get("spec"), container, "/var/data/spark");
    assertAll(
        () -> assertEquals("Pod", pod.get("kind").asText()),
        () -> assertEquals("spark-kubernetes-executor", container.get("name").asText()),
        () ->
            assertTrue(
                shared.at("/emptyDir/medium").asText().equals("Memory")
                    || shared.at("/hostPath/path").asText().equals("/dev/shm"),
                shared.toString()),
        // Spark takes volumes with this prefix as local folders.
        () -> assertTrue(disk.get("name").asText().startsWith("spark-local-dir-")));
  }

  /** Otherwise pods cannot read in place what is on the disks of others. */
  @ParameterizedTest
  @MethodSource("podTemplates")
  void podsThatShareMemoryShareAFolderOnDisk(Path file) throws IOException {
    JsonNode spec = documents(file).getFirst().get("spec");
    JsonNode container = spec.at("/containers/0");
    assumeTrue(volumeAt(spec, container, "/dev/shm").has("hostPath"));
    Matcher named =
        Pattern.compile(
                "mount the node's folder `(\\S+)` at `(\\S+)`\\."
                    + ".* set `spark\\.symshuffle\\.disk\\.dir=(\\S+)`")
            .matcher(Files.readString(HOME.resolve("docs/kubernetes.md")).replaceAll("\\s+", " "));
    assertTrue(named.find());
    JsonNode disk = volumeAt(spec, container, named.group(2));
    assertAll(
        () -> assertEquals(named.group(1), disk.at("/hostPath/path").asText()),
        () -> assertEquals(named.group(2), named.group(3)));
  }

  @Test
  void podTemplateFitsTheSettings() throws IOException {
    JsonNode pod = documents(CONF.resolve("kubernetes-executor-pod.yaml")).getFirst();
    Map<String, String> settings =
        SparkDefaults.read(CONF.resolve("spark-defaults-kubernetes.conf"));
    assertHeapFits(
        volumeAt(pod.get("spec"), pod.at("/spec/containers/0"), "/dev/shm"),
        settings.get("spark.symshuffle.heap.size"));
    assertMemoryFits(
        settings.get("spark.symshuffle.heap.size"),
        settings.get("spark.executor.memory"),
        settings.get("spark.executor.memoryOverhead"));
  }

  @Test
  void applicationHasValidSettingsAndRoomForItsHeap() throws IOException {
    JsonNode spec = documents(FOLDER.resolve("spark-application.yaml")).getFirst().get("spec");
    Map<String, String> settings = new TreeMap<>();
    spec.get("sparkConf")
        .properties()
        .forEach(e -> settings.put(e.getKey(), e.getValue().asText()));
    ConfigReader.read(settings);
    JsonNode executor = spec.get("executor");
    assertHeapFits(
        volumeAt(spec, executor, "/dev/shm"), settings.get("spark.symshuffle.heap.size"));
    assertMemoryFits(
        settings.get("spark.symshuffle.heap.size"),
        executor.get("memory").asText(),
        executor.get("memoryOverhead").asText());
    assertTrue(settings.get("spark.plugins").contains("io.symshuffle.SymShufflePlugin"));
  }

  @Test
  void applicationUsesTheServiceAccountAndNamespaceOfTheOperator() throws IOException {
    JsonNode application = documents(FOLDER.resolve("spark-application.yaml")).getFirst();
    JsonNode values = documents(FOLDER.resolve("spark-operator-values.yaml")).getFirst();
    assertAll(
        () ->
            assertEquals(
                values.at("/spark/serviceAccount/name"),
                application.at("/spec/driver/serviceAccount")),
        () ->
            assertEquals(
                values.at("/spark/jobNamespaces/0"), application.at("/metadata/namespace")));
  }

  @Test
  void workerOffersAsManyGpusAsItHas() throws IOException {
    JsonNode worker = documents(FOLDER.resolve("standalone-gpu.yaml")).getLast();
    JsonNode pod = worker.at("/spec/template/spec");
    JsonNode container = pod.at("/containers/0");
    String gpus = container.at("/resources/limits/nvidia.com~1gpu").asText();
    String options = container.at("/env/0/value").asText();
    JsonNode memory = volumeAt(pod, container, "/dev/shm");
    assertAll(
        () -> assertEquals("StatefulSet", worker.get("kind").asText()),
        () -> assertTrue(options.contains("worker.resource.gpu.amount=" + gpus + " "), options),
        () -> assertTrue(options.contains("/opt/symshuffle/conf/find-gpus.sh"), options),
        () -> assertEquals("Memory", memory.at("/emptyDir/medium").asText()),
        () ->
            assertEquals(
                container.at("/resources/requests/memory"),
                container.at("/resources/limits/memory")));
  }

  /** {@code GpuNodeIT} starts it. */
  @Test
  void recipeForANodeWithGpusUsesAllOfThem() throws IOException {
    String page = Files.readString(HOME.resolve("docs/kubernetes.md")).replaceAll("\\s+", " ");
    Matcher change =
        Pattern.compile(
                "`spark.executor.cores` to ([0-9]+) and `spark.task.resource.gpu.amount` to"
                    + " ([0-9.]+), so that each worker starts ([0-9]+) executors, and"
                    + " `spark.cores.max` to ([0-9]+) per node")
            .matcher(page);
    assertTrue(change.find(), page);
    int cores = Integer.parseInt(change.group(1));
    double amount = Double.parseDouble(change.group(2));
    JsonNode worker =
        documents(FOLDER.resolve("standalone-gpu.yaml"))
            .getLast()
            .at("/spec/template/spec/containers/0");
    int gpus = worker.at("/resources/limits/nvidia.com~1gpu").asInt();
    List<String> arguments = new ArrayList<>();
    worker.get("args").forEach(argument -> arguments.add(argument.asText()));
    int all = Integer.parseInt(arguments.get(arguments.indexOf("--cores") + 1));
    long memory = ByteSize.parse(arguments.get(arguments.indexOf("--memory") + 1)).bytes();
    String each =
        SparkDefaults.read(CONF.resolve("spark-defaults-standalone-gpu.conf"))
            .get("spark.executor.memory");
    assertAll(
        () -> assertEquals(gpus, Integer.parseInt(change.group(3))),
        () -> assertEquals(gpus, all / cores, "executors by cores"),
        () -> assertEquals(gpus, memory / ByteSize.parse(each).bytes(), "executors by memory"),
        () -> assertEquals(all, Integer.parseInt(change.group(4))),
        () -> assertEquals(cores, (int) (1 / amount), "tasks of a GPU"));
  }

  @Test
  void imageContainsWhatTheOtherFilesName() throws IOException {
    List<String> copied = new ArrayList<>();
    for (MatchResult copy : copies()) {
      for (String source : copy.group("sources").split(" +", -1)) {
        if (!source.equals("${JAR}")) {
          assertTrue(Files.exists(HOME.resolve(source)), source);
          copied.add(copy.group("folder") + Path.of(source).getFileName());
        }
      }
    }
    Pattern path = Pattern.compile("/opt/symshuffle/conf/[A-Za-z.-]+[a-z]");
    List<Path> files =
        List.of(
            CONF.resolve("spark-defaults-kubernetes.conf"),
            FOLDER.resolve("spark-application.yaml"),
            FOLDER.resolve("standalone-gpu.yaml"));
    for (Path file : files) {
      List<String> named =
          path.matcher(Files.readString(file)).results().map(MatchResult::group).toList();
      assertFalse(named.isEmpty(), file.toString());
      assertTrue(copied.containsAll(named), file + " names " + named + ", the image has " + copied);
    }
    assertTrue(Files.isExecutable(CONF.resolve("find-gpus.sh")));
  }

  /** A build keeps the modes of files, and those of a private source tree shut out Spark's user. */
  @Test
  void sparksUserCanReadWhatTheImageContains() throws IOException {
    for (MatchResult copy : copies()) {
      assertEquals("--chmod=755 ", copy.group("options"), copy.group());
    }
  }

  /** The instructions of the Dockerfile that copy files. */
  private static List<MatchResult> copies() throws IOException {
    String dockerfile = Files.readString(FOLDER.resolve("Dockerfile")).replace("\\\n", "");
    List<MatchResult> copies =
        Pattern.compile("(?m)^COPY (?<options>(?:--\\S+ )*)(?<sources>.+?) +(?<folder>\\S+/)$")
            .matcher(dockerfile)
            .results()
            .toList();
    assertEquals(Pattern.compile("(?m)^COPY").matcher(dockerfile).results().count(), copies.size());
    return copies;
  }

  /** The volume that a container mounts at a path. */
  private static JsonNode volumeAt(JsonNode spec, JsonNode container, String path) {
    for (JsonNode mount : container.get("volumeMounts")) {
      if (mount.get("mountPath").asText().equals(path)) {
        for (JsonNode volume : spec.get("volumes")) {
          if (volume.get("name").equals(mount.get("name"))) {
            return volume;
          }
        }
      }
    }
    throw new AssertionError("nothing is mounted at " + path);
  }

  private static void assertHeapFits(JsonNode volume, String heap) {
    String limit = volume.at("/emptyDir/sizeLimit").asText();
    assertTrue(limit.endsWith("Gi"), limit);
    assertTrue(bytes(limit.replace("Gi", "g")) > bytes(heap), limit + " for " + heap);
  }

  /** The rule of docs/tuning.md: the heap, 10 % of the Java heap, at least 384m, and 512m. */
  private static void assertMemoryFits(String heap, String memory, String overhead) {
    long needed = bytes(heap) + Math.max(bytes("384m"), bytes(memory) / 10) + bytes("512m");
    assertTrue(
        bytes(overhead) >= needed && bytes(overhead) < needed + bytes("1g"),
        overhead + " instead of " + (needed >> 20) + "m");
  }

  private static long bytes(String size) {
    return JavaUtils.byteStringAsBytes(size);
  }

  private static List<JsonNode> documents(Path file) throws IOException {
    List<JsonNode> documents = new ArrayList<>();
    try (Reader reader = Files.newBufferedReader(file)) {
      for (Object document : new Yaml().loadAll(reader)) {
        documents.add(new ObjectMapper().valueToTree(document));
      }
    }
    return documents;
  }
}
