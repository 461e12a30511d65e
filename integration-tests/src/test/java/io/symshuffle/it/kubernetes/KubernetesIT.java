// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.kubernetes;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapVolumeSource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.process.SparkSubmission;
import io.symshuffle.it.program.ShuffleProgram;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The pods that Spark creates with the published files. Nothing runs in them. */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class KubernetesIT {
  private static final Path CONF = Path.of("..", "conf").toAbsolutePath().normalize();
  private static final String TEMPLATE = "spark.kubernetes.executor.podTemplateFile";
  private static final String IMAGE = "registry.example.com/spark-symshuffle:4.2.0";

  @TempDir private static Path homes;
  private static SparkHome home;

  @TempDir private Path folder;

  @BeforeAll
  static void createHome() {
    home = SparkHome.create(homes.resolve("spark"), List.of(Jars.plugin()));
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void publishedSettingsGiveExecutorsSharedMemoryALocalDiskAndRoomForTheHeap() {
    Map<String, String> settings = settings("kubernetes-executor-pod.yaml");
    List<Pod> pods = executorPods(settings);
    assertEquals(Integer.parseInt(settings.get("spark.executor.instances")), pods.size());
    for (Pod pod : pods) {
      Container executor = pod.getSpec().getContainers().getFirst();
      Volume shared = volume(pod, "/dev/shm");
      assertAll(
          () -> assertEquals(List.of("executor"), executor.getArgs()),
          () -> assertEquals(IMAGE, executor.getImage()),
          () -> assertEquals("executor", pod.getMetadata().getLabels().get("spark-role")),
          () -> assertEquals("16", quantity(executor.getResources().getRequests(), "cpu")),
          () -> assertEquals("Memory", shared.getEmptyDir().getMedium()),
          () -> assertEquals("17Gi", shared.getEmptyDir().getSizeLimit().toString()),
          () -> assertEquals("/var/data/spark", variable(executor, "SPARK_LOCAL_DIRS")),
          () -> assertEquals("16", variable(executor, "SPARK_EXECUTOR_CORES")),
          () -> assertEquals("31744m", variable(executor, "SPARK_EXECUTOR_MEMORY")));
      assertTrue(volume(pod, "/var/data/spark").getName().startsWith("spark-local-dir-"));
      // 31g and 20g.
      assertMemory(51L << 30, executor);
    }
  }

  /** The numbers of the page are those of 4 executors of a node, instead of one. */
  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void executorsThatShareANodeMountItsMemory() {
    Map<String, String> settings = settings("kubernetes/executor-shared-node.yaml");
    settings.put("spark.executor.cores", "7");
    settings.put("spark.executor.memory", "16g");
    settings.put("spark.executor.memoryOverhead", "7271m");
    settings.put("spark.symshuffle.heap.size", "5g");
    Pod pod = executorPods(settings).getFirst();
    assertEquals("/dev/shm", volume(pod, "/dev/shm").getHostPath().getPath());
    assertEquals("Directory", volume(pod, "/dev/shm").getHostPath().getType());
    Container executor = pod.getSpec().getContainers().getFirst();
    assertMemory((16384L + 7271) << 20, executor);
    assertEquals("92.4", "%.1f".formatted(4 * (16384 + 7271) / 1024.0), "GiB in the page");
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void executorsWithGpusGetOneEach() {
    Map<String, String> settings = settings("kubernetes/executor-gpu.yaml");
    settings.put("spark.executor.resource.gpu.amount", "1");
    settings.put("spark.executor.resource.gpu.vendor", "nvidia.com");
    settings.put(
        "spark.executor.resource.gpu.discoveryScript", "/opt/symshuffle/conf/find-gpus.sh");
    Pod pod = executorPods(settings).getFirst();
    Container executor = pod.getSpec().getContainers().getFirst();
    assertEquals("1", quantity(executor.getResources().getLimits(), "nvidia.com/gpu"));
    assertEquals("/dev/shm", volume(pod, "/dev/shm").getHostPath().getPath());
    assertEquals("nvidia.com/gpu", pod.getSpec().getTolerations().getFirst().getKey());
  }

  /** Spark's own arithmetic gives the memory of a pod that {@code tune} prints. */
  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void podsHaveTheMemoryThatTunePrints() throws IOException {
    ChildProcess.Result tune =
        BuiltCommand.unshared(
                List.of(
                    "tune",
                    "--json",
                    "--cluster=kubernetes",
                    "--nodes=2",
                    "--cores=12",
                    "--memory=50g",
                    "--gpus=0"))
            .run(Await.LIMIT);
    JsonNode json =
        new ObjectMapper()
            .readTree(tune.output().substring(Math.max(0, tune.output().indexOf("{\n"))));
    Map<String, String> settings = settings("kubernetes-executor-pod.yaml");
    json.path("settings")
        .forEach(s -> settings.put(s.path("key").asText(), s.path("value").asText()));
    List<Pod> pods = executorPods(settings);
    assertEquals(2, pods.size());
    assertMemory(
        json.at("/memory/containerBytes").asLong(),
        pods.getFirst().getSpec().getContainers().getFirst());
  }

  /** The image has neither: both come from the machine that submits. */
  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void clusterModeGivesTheDriverTheSettingsAndTheTemplate() throws IOException {
    Map<String, String> settings = settings("kubernetes-executor-pod.yaml");
    settings.remove("spark.master");
    assertEquals("cluster", settings.get("spark.submit.deployMode"));
    try (ApiServer server = ApiServer.start()) {
      SparkSubmission submission =
          server
              .configure(SparkSubmission.of(home, ShuffleProgram.class))
              .conf("spark.kubernetes.submission.waitAppCompletion", "false")
              .conf("spark.kubernetes.file.upload.path", folder.toUri().toString());
      settings.forEach(submission::conf);
      try (ChildProcess submit = submission.start(folder)) {
        assertEquals(0, submit.awaitEnd(Await.LIMIT), submit::output);
      }
      Container driver = server.pods("driver").getFirst().getSpec().getContainers().getFirst();
      assertEquals(IMAGE, driver.getImage());
      String file = driver.getArgs().get(driver.getArgs().indexOf("--properties-file") + 1);
      Properties properties = new Properties();
      properties.load(new StringReader(mounted(server, driver, file)));
      String template = properties.getProperty(TEMPLATE);
      assertEquals(
          pod(Files.readString(Path.of(settings.remove(TEMPLATE)))).getSpec(),
          pod(mounted(server, driver, template)).getSpec());
      settings.remove("spark.submit.deployMode");
      settings.forEach((key, value) -> assertEquals(value, properties.getProperty(key), key));
    }
  }

  private static Pod pod(String yaml) {
    return new KubernetesSerialization().unmarshal(yaml, Pod.class);
  }

  /** A file of a container that is in a config map. */
  private static String mounted(ApiServer server, Container container, String file) {
    Path path = Path.of(file);
    VolumeMount mount =
        container.getVolumeMounts().stream()
            .filter(each -> path.startsWith(each.getMountPath()))
            .findFirst()
            .orElseThrow(() -> new AssertionError("nothing is mounted for " + file));
    ConfigMapVolumeSource source =
        server.pods("driver").getFirst().getSpec().getVolumes().stream()
            .filter(volume -> volume.getName().equals(mount.getName()))
            .findFirst()
            .orElseThrow()
            .getConfigMap();
    String name = path.getFileName().toString();
    String key =
        source.getItems().stream()
            .filter(item -> item.getPath().equals(name))
            .map(KeyToPath::getKey)
            .findFirst()
            .orElse(name);
    ConfigMap map =
        server.client().configMaps().inNamespace("spark").withName(source.getName()).get();
    return requireNonNull(map.getData().get(key), () -> file + " is not in " + map.getData());
  }

  /** The files of conf, with what is in the image read from here. */
  private static Map<String, String> settings(String template) {
    Map<String, String> settings =
        new TreeMap<>(SparkDefaults.read(CONF.resolve("spark-defaults-kubernetes.conf")));
    settings.put(TEMPLATE, CONF.resolve(template).toString());
    return settings;
  }

  /** The pods that a driver creates which runs here. */
  private List<Pod> executorPods(Map<String, String> settings) {
    settings.put("spark.submit.deployMode", "client");
    settings.remove("spark.master");
    int executors = Integer.parseInt(settings.get("spark.executor.instances"));
    try (ApiServer server = ApiServer.start()) {
      SparkSubmission submission = server.configure(SparkSubmission.of(home, ShuffleProgram.class));
      settings.forEach(submission::conf);
      try (ChildProcess submit = submission.start(folder)) {
        boolean created =
            Await.holdsWithin(Await.LIMIT, () -> server.pods("executor").size() == executors);
        assertTrue(created, () -> server.pods("executor").size() + " pods: " + submit.output());
        return server.pods("executor");
      }
    }
  }

  private static Volume volume(Pod pod, String path) {
    VolumeMount mount =
        pod.getSpec().getContainers().getFirst().getVolumeMounts().stream()
            .filter(each -> each.getMountPath().equals(path))
            .findFirst()
            .orElseThrow();
    return pod.getSpec().getVolumes().stream()
        .filter(each -> each.getName().equals(mount.getName()))
        .findFirst()
        .orElseThrow();
  }

  private static String variable(Container container, String name) {
    return container.getEnv().stream()
        .filter(each -> each.getName().equals(name))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  private static String quantity(Map<String, Quantity> resources, String name) {
    return resources.get(name).toString();
  }

  /** The request is the limit: a pod with less would be the first that a full node evicts. */
  private static void assertMemory(long bytes, Container container) {
    assertEquals(
        bytes, container.getResources().getLimits().get("memory").getNumericalAmount().longValue());
    assertEquals(
        container.getResources().getLimits().get("memory"),
        container.getResources().getRequests().get("memory"));
  }
}
