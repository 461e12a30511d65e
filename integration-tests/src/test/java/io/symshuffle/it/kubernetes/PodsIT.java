// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.Pod;
import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.MemoryGroup;
import io.symshuffle.cli.SparkDefaults;
import io.symshuffle.it.Folders;
import io.symshuffle.it.process.HostsApplication;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.process.SparkSubmission;
import io.symshuffle.it.program.HostsProgram;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Spark's driver and executors in the pods that Spark creates with the published files, as
 * processes with the pods' volumes and memory limits. Needs root, and control groups that it may
 * create.
 */
@Tag("long")
class PodsIT {
  private static final Path FOLDERS = Path.of("target", "it-work", "PodsIT").toAbsolutePath();
  private static final Path CONF = Path.of("..", "conf").toAbsolutePath().normalize();
  private static final String TEMPLATE = "spark.kubernetes.executor.podTemplateFile";
  private static final String DISK = "spark-local-dir-1";
  private static final int EXECUTORS = 2;

  /** About 60 MiB for each executor in each exchange of a join. */
  private static final long ROWS = 2_000_000;

  /** About 200 MiB of kept map outputs for each executor. */
  private static final long MANY_ROWS = 40_000_000;

  private final List<Kubelet.Running> executors = new ArrayList<>();
  private Path folder;
  private Hosts hosts;
  private ApiServer server;
  private Kubelet kubelet;
  private ChildProcess driver;

  @BeforeEach
  void start(TestInfo test) throws IOException {
    Optional<String> obstacle = HostsApplication.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    Optional<MemoryGroup> probe = MemoryGroup.create();
    assumeTrue(probe.isPresent(), "no control group with a memory limit can be created here");
    probe.get().close();
    folder = FOLDERS.resolve(test.getTestMethod().orElseThrow().getName());
    Folders.delete(folder);
    hosts = Hosts.create(folder, 1 + EXECUTORS);
    server = ApiServer.start(hosts.outside());
    SparkHome home = SparkHome.create(folder.resolve("spark-home"), List.of(Jars.plugin()));
    kubelet = new Kubelet(server, hosts, home, folder);
  }

  @AfterEach
  void stop() throws IOException {
    if (kubelet != null) {
      kubelet.close();
    }
    if (server != null) {
      server.close();
    }
    if (hosts != null) {
      hosts.close();
    }
  }

  /** The volume is 1 GiB larger than the heap, as the page says. */
  @Test
  void queriesMatchSortShuffleAndMapOutputsAreInTheVolume() throws IOException {
    submit("1280Mi", ROWS);
    assertEquals(answer("sort"), answer("ours"));
    String kept = answer("keep");
    for (Kubelet.Running executor : executors) {
      assertEquals(List.of(), runs(executor.pod()));
      assertTrue(sharedKibibytes(executor) > 5 << 10, executor.exec("df", "/dev/shm"));
    }
    assertEquals(kept + ", computed again: 0", answer("read"));
    end();
  }

  @Test
  void mapOutputsGoToDiskWhenTheVolumeIsSmallerThanTheHeap() throws IOException {
    submit("160Mi", MANY_ROWS);
    String sum = Long.toString(MANY_ROWS / 2 * (MANY_ROWS / 2 - 1) / 2);
    assertEquals(sum, answer("keep"));
    for (Kubelet.Running executor : executors) {
      assertTrue(sharedKibibytes(executor) > 100 << 10, executor.exec("df", "/dev/shm"));
      assertNotEquals(List.of(), runs(executor.pod()), executor.exec("df", "/dev/shm"));
    }
    assertEquals(sum + ", computed again: 0", answer("read"));
    end();
  }

  /** Submits in cluster mode, and runs the driver's pod and those that it creates. */
  private void submit(String sharedMemory, long rows) throws IOException {
    Map<String, String> settings =
        new TreeMap<>(SparkDefaults.read(CONF.resolve("spark-defaults-kubernetes.conf")));
    settings.remove("spark.master");
    settings.put(TEMPLATE, template(sharedMemory).toString());
    settings.put("spark.driver.memory", Kubelet.DRIVER_MEBIBYTES + "m");
    settings.put("spark.executor.instances", Integer.toString(EXECUTORS));
    settings.put("spark.executor.cores", "1");
    settings.put("spark.executor.memory", "640m");
    settings.put("spark.symshuffle.heap.size", "256m");
    // The formula of the pages: the heap, at least 384m for the JVM, and 512m.
    settings.put("spark.executor.memoryOverhead", "1152m");
    settings.put("spark.kubernetes.file.upload.path", folder.resolve("upload").toUri().toString());
    settings.put("spark.kubernetes.submission.waitAppCompletion", "false");
    settings.put("spark.sql.shuffle.partitions", "8");
    SparkSubmission submission =
        server
            .configure(SparkSubmission.of(kubelet.home(), HostsProgram.class))
            .arguments(Long.toString(rows), Integer.toString(EXECUTORS));
    settings.forEach(submission::conf);
    try (ChildProcess submit = submission.start(folder)) {
      assertEquals(0, submit.awaitEnd(Await.LIMIT), submit::output);
    }
    driver = kubelet.start(server.pods("driver").getFirst()).process();
    Await.until(
        "the driver creates pods or ends",
        () -> server.pods("executor").size() == EXECUTORS || !driver.isAlive());
    assertTrue(driver.isAlive(), driver::output);
    for (Pod pod : server.pods("executor")) {
      executors.add(kubelet.start(pod));
    }
    driver.awaitOutput(Pattern.compile("(?m)^ready$"), Await.LIMIT);
  }

  /** The published template with another size. */
  private Path template(String sharedMemory) throws IOException {
    String published = Files.readString(CONF.resolve("kubernetes-executor-pod.yaml"));
    String sized = published.replace("sizeLimit: 17Gi", "sizeLimit: " + sharedMemory);
    assertNotEquals(published, sized);
    return Files.writeString(folder.resolve("template.yaml"), sized);
  }

  private String answer(String question) {
    driver.send(question);
    return driver
        .awaitOutput(Pattern.compile("answer=(.*) of " + question + "\n"), Await.LIMIT)
        .group(1);
  }

  private List<Path> runs(Pod pod) {
    return Folders.under(kubelet.volumeFolder(pod, DISK))
        .filter(path -> path.getFileName().toString().endsWith(".runs"))
        .toList();
  }

  private static long sharedKibibytes(Kubelet.Running executor) {
    String used = executor.exec("df", "--output=used", "/dev/shm").lines().toList().getLast();
    return Long.parseLong(used.strip());
  }

  /** No executor was killed or replaced, and nothing is left on the disks. */
  private void end() throws IOException {
    executors.forEach(each -> assertTrue(each.process().isAlive(), each.process()::toString));
    assertEquals(0, kubelet.kills());
    assertEquals(EXECUTORS, server.pods("executor").size());
    driver.send("end");
    assertEquals(0, driver.awaitEnd(Await.LIMIT), driver::output);
    for (Kubelet.Running executor : executors) {
      executor.process().awaitEnd(Await.LIMIT);
      Path disk = kubelet.volumeFolder(executor.pod(), DISK);
      assertEquals(
          List.of(),
          Folders.under(disk).filter(path -> path.toString().contains("/symshuffle-")).toList());
    }
  }
}
