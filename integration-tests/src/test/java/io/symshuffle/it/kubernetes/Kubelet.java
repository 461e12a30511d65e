// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.kubernetes;

import static java.util.Objects.requireNonNull;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapVolumeSource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.MemoryGroup;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Runs the containers of pods as processes, as the agent on a node does: each on a host of its own,
 * in a control group with the container's memory limit, with its environment and its volumes. The
 * image is this machine's root folder, with Spark. Used by one thread.
 */
final class Kubelet implements AutoCloseable {
  /** Java heap of drivers; must be the value of {@code spark.driver.memory}. */
  static final int DRIVER_MEBIBYTES = 512;

  private static final String SHARED_MEMORY = "/dev/shm";

  private final ApiServer server;
  private final Hosts hosts;
  private final SparkHome home;
  private final Path folder;
  private final List<Running> pods = new ArrayList<>();

  /**
   * The container of a pod.
   *
   * @param pod as the API server has it
   * @param memory its control group
   * @param process its only process
   */
  record Running(Pod pod, MemoryGroup memory, ChildProcess process) {
    /** Returns the output of a command in the container, as of {@code kubectl exec}. */
    String exec(String... command) {
      List<String> enter = List.of("nsenter", "-t", "" + process.pid(), "--mount", "--net", "--");
      ChildProcess.Result result = ChildProcess.of(command).through(enter).run(Await.LIMIT);
      if (!result.passed()) {
        throw new IllegalStateException(String.join(" ", command) + " " + result.ending());
      }
      return result.output();
    }
  }

  /**
   * Creates an agent without pods.
   *
   * @param server gets the pods' states
   * @param hosts one for each pod
   * @param home the Spark of the image
   * @param folder for logs and volumes; hosts see it
   */
  Kubelet(ApiServer server, Hosts hosts, SparkHome home, Path folder) {
    this.server = server;
    this.hosts = hosts;
    this.home = home;
    this.folder = folder;
  }

  /** Returns the Spark of the image. */
  SparkHome home() {
    return home;
  }

  /** Starts the container of a pod on the next host. */
  Running start(Pod pod) throws IOException {
    int host = pods.size();
    Container container = pod.getSpec().getContainers().getFirst();
    MemoryGroup memory =
        MemoryGroup.create().orElseThrow(() -> new IOException("no control group for " + pod));
    memory.limit(
        container.getResources().getLimits().get("memory").getNumericalAmount().longValue());
    String address = hosts.address(host);
    Map<String, String> environment = environment(container, pod, address);
    List<String> command = new ArrayList<>();
    Collections.addAll(command, "unshare", "--mount", "--propagation", "private", "bash", "-ec");
    Collections.addAll(command, String.join("\n", prepare(pod, container, address)), "pod");
    command.addAll(entryPoint(container.getArgs(), environment));
    String name = pod.getMetadata().getName();
    ChildProcess process =
        home.process(hosts.on(host, memory.command(command)))
            .environment(environment)
            .name(name)
            .folder(Files.createDirectories(folder.resolve(name)))
            .log(folder.resolve(name + ".log"))
            .start();
    Running running = new Running(pod, memory, process);
    pods.add(running);
    server
        .client()
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(name)
        .editStatus(
            each ->
                new PodBuilder(each)
                    .withStatus(
                        new PodStatusBuilder().withPhase("Running").withPodIP(address).build())
                    .build());
    return running;
  }

  /** Returns how many containers the kernel has killed because of their limits. */
  long kills() throws IOException {
    long kills = 0;
    for (Running pod : pods) {
      kills += pod.memory.kills();
    }
    return kills;
  }

  private static Map<String, String> environment(Container container, Pod pod, String address) {
    Map<String, String> environment = new HashMap<>(Map.of("SPARK_LOCAL_IP", address));
    for (EnvVar variable : container.getEnv()) {
      String value = variable.getValue();
      if (variable.getValueFrom() != null) {
        String field = variable.getValueFrom().getFieldRef().getFieldPath();
        value =
            switch (field) {
              case "status.podIP" -> address;
              case "metadata.name" -> pod.getMetadata().getName();
              default -> throw new IllegalArgumentException(field);
            };
      }
      environment.put(variable.getName(), value == null ? "" : value);
    }
    return environment;
  }

  /** The commands that give a container its file system and the names of services. */
  private List<String> prepare(Pod pod, Container container, String address) throws IOException {
    List<String> commands = new ArrayList<>();
    // What container runtimes do unless the pod mounts something there.
    commands.add("mount -t tmpfs -o size=64m shm " + SHARED_MEMORY);
    commands.add("mkdir -p /tmp/image && mount -t tmpfs image /tmp/image");
    Set<String> tops = new TreeSet<>();
    container.getVolumeMounts().forEach(m -> tops.add(m.getMountPath().split("/", -1)[1]));
    tops.remove("dev");
    for (String top : tops) {
      // An image has folders that this machine does not have.
      commands.add(
          "mkdir /tmp/image/%1$s /tmp/image/%1$s-work; mount -t overlay image /%1$s -o lowerdir=/%1$s,upperdir=/tmp/image/%1$s,workdir=/tmp/image/%1$s-work"
              .formatted(top));
    }
    for (VolumeMount mount : container.getVolumeMounts()) {
      commands.add("mkdir -p " + mount.getMountPath());
      commands.add(mount(pod, mount));
    }
    for (Service service :
        server
            .client()
            .services()
            .inNamespace(pod.getMetadata().getNamespace())
            .list()
            .getItems()) {
      String owner = isServedBy(pod, service) ? address : addressOf(service);
      commands.add(
          "echo %s %s.%s.svc >> /etc/hosts"
              .formatted(
                  owner, service.getMetadata().getName(), service.getMetadata().getNamespace()));
    }
    commands.add("exec \"$@\"");
    return commands;
  }

  private String addressOf(Service service) {
    for (int host = 0; host < pods.size(); host++) {
      if (isServedBy(pods.get(host).pod, service)) {
        return hosts.address(host);
      }
    }
    throw new IllegalStateException("no pod for " + service);
  }

  private static boolean isServedBy(Pod pod, Service service) {
    return pod.getMetadata()
        .getLabels()
        .entrySet()
        .containsAll(service.getSpec().getSelector().entrySet());
  }

  private String mount(Pod pod, VolumeMount mount) throws IOException {
    Volume volume =
        pod.getSpec().getVolumes().stream()
            .filter(each -> each.getName().equals(mount.getName()))
            .findFirst()
            .orElseThrow();
    if (volume.getEmptyDir() != null && "Memory".equals(volume.getEmptyDir().getMedium())) {
      return "mount -t tmpfs -o size=%s %s %s"
          .formatted(
              volume.getEmptyDir().getSizeLimit().getNumericalAmount().toBigInteger(),
              mount.getName(),
              mount.getMountPath());
    }
    Path source = volumeFolder(pod, mount.getName());
    Files.createDirectories(source);
    if (volume.getConfigMap() != null) {
      write(volume.getConfigMap(), pod.getMetadata().getNamespace(), source);
    } else if (volume.getEmptyDir() == null) {
      throw new IllegalArgumentException("no support for " + volume);
    }
    return "mount --bind '%s' %s".formatted(source, mount.getMountPath());
  }

  /** Returns the folder of a volume that is on disk. */
  Path volumeFolder(Pod pod, String volume) {
    return folder.resolve(pod.getMetadata().getName()).resolve("volumes").resolve(volume);
  }

  private void write(ConfigMapVolumeSource source, String namespace, Path target)
      throws IOException {
    ConfigMap map =
        server.client().configMaps().inNamespace(namespace).withName(source.getName()).get();
    Map<String, String> paths = new HashMap<>();
    map.getData().keySet().forEach(key -> paths.put(key, key));
    source.getItems().forEach(item -> paths.put(item.getKey(), item.getPath()));
    for (Map.Entry<String, String> path : paths.entrySet()) {
      Files.writeString(target.resolve(path.getValue()), map.getData().get(path.getKey()));
    }
  }

  /** What the entry point of Spark's images runs. */
  private List<String> entryPoint(List<String> arguments, Map<String, String> environment) {
    String role = arguments.getFirst();
    String memory =
        role.equals("driver") ? DRIVER_MEBIBYTES + "m" : environment.get("SPARK_EXECUTOR_MEMORY");
    List<String> command =
        new ArrayList<>(home.java(Integer.parseInt(memory.substring(0, memory.length() - 1))));
    command.set(command.size() - 1, "/opt/spark/conf:" + command.getLast());
    if (role.equals("driver")) {
      Collections.addAll(command, "org.apache.spark.deploy.SparkSubmit");
      Collections.addAll(command, "--deploy-mode", "client", "--conf");
      command.add("spark.driver.bindAddress=" + environment.get("SPARK_DRIVER_BIND_ADDRESS"));
      command.addAll(arguments.subList(1, arguments.size()));
      return command;
    }
    command.addAll(1, options(environment));
    command.add(1, "-Xms" + memory);
    command.add("org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend");
    Map.of(
            "--driver-url", "SPARK_DRIVER_URL",
            "--executor-id", "SPARK_EXECUTOR_ID",
            "--cores", "SPARK_EXECUTOR_CORES",
            "--app-id", "SPARK_APPLICATION_ID",
            "--hostname", "SPARK_EXECUTOR_POD_IP",
            "--resourceProfileId", "SPARK_RESOURCE_PROFILE_ID",
            "--podName", "SPARK_EXECUTOR_POD_NAME")
        .forEach(
            (option, variable) ->
                Collections.addAll(
                    command, option, requireNonNull(environment.get(variable), variable)));
    return command;
  }

  private static List<String> options(Map<String, String> environment) {
    return Stream.iterate(0, i -> i + 1)
        .map(i -> environment.get("SPARK_JAVA_OPT_" + i))
        .takeWhile(option -> option != null)
        .toList();
  }

  /** Kills the processes. */
  @Override
  public void close() throws IOException {
    ChildProcess.closeAll(pods.stream().map(Running::process).toList());
    for (Running pod : pods) {
      pod.memory.close();
    }
  }
}
