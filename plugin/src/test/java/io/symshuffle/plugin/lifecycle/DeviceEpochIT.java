// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.heap.PeMain;
import io.symshuffle.heap.PeProcess;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.plugin.device.DeviceCoordinator;
import io.symshuffle.plugin.device.nvshmem.ExpectedPes;
import io.symshuffle.plugin.device.nvshmem.NvshmemEpochs;
import io.symshuffle.plugin.membership.ClusterShape;
import io.symshuffle.plugin.membership.DriverRpcHandler;
import io.symshuffle.plugin.membership.Membership;
import io.symshuffle.plugin.membership.MembershipPusher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The whole start of device heaps in several processes, with fakes of CUDA and NVSHMEM. This
 * process is the driver.
 */
@Execution(ExecutionMode.CONCURRENT)
class DeviceEpochIT {
  private static final long LIMIT_SECONDS = 300;
  private static final String CUDA = "spark.symshuffle.device.backend=cuda";

  @TempDir Path folder;
  private final Membership membership = new Membership();
  private final MembershipPusher pusher = new MembershipPusher(membership);
  private final List<String> refusals = Collections.synchronizedList(new ArrayList<>());
  private final List<PeProcess> processes = new ArrayList<>();
  private DriverServer server;
  private DriverRpcHandler handler;

  @BeforeEach
  void needACompiler() throws IOException {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    Files.createDirectory(folder.resolve("memory"));
    server = new DriverServer();
  }

  @AfterEach
  void end() throws IOException {
    processes.forEach(PeProcess::close);
    for (Path session : sessions()) {
      Files.deleteIfExists(session);
    }
    pusher.close();
    if (server != null) {
      server.close();
    }
  }

  @Test
  void startsDeviceHeapsTogetherAndSurvivesLossOfOneExecutor() throws Exception {
    driver(3, Duration.ofMinutes(10), false);
    start(3);
    for (int executor = 0; executor < 3; executor++) {
      String state = answer(executor);
      assertEquals("PE %d of 3, whole".formatted(peOf(executor)), state);
    }
    for (int pe = 0; pe < 3; pe++) {
      assertEquals("filled", ask(pe, "FILL"));
    }
    for (int reader = 0; reader < 3; reader++) {
      for (int pe = 0; pe < 3; pe++) {
        assertEquals("read " + (100 + pe), ask(reader, "READ " + pe));
      }
    }
    processes.get(2).kill();
    handler.executorLost("2");
    awaitState(0, "PE %d of 3, broken".formatted(peOf(0)));
    awaitState(1, "PE %d of 3, broken".formatted(peOf(1)));
    assertEquals(
        "read " + (100 + peOf(2)), ask(0, "READ " + peOf(2)), "memory of the dead executor");
    assertEquals("read " + (100 + peOf(0)), ask(1, "READ " + peOf(0)));
    newcomer(3);
    assertEquals("host heap", answer(3));
  }

  @Test
  @Tag("full")
  void fallsBackToHostHeapImmediatelyWhenOneExecutorIsKilledInTheStart() throws Exception {
    driver(2, Duration.ofSeconds(2 * LIMIT_SECONDS), false);
    hangsInTheStart(1);
    start(2);
    awaitAnyInTheStart();
    processes.get(1).kill();
    handler.executorLost("1");
    assertEquals("host heap", answer(0));
  }

  @Test
  @Tag("full")
  void opensHeapsOfCudaAtAnyTimeAndGivesOneToASuccessor() throws Exception {
    driver(3, Duration.ofMinutes(10), false);
    newcomer(0, CUDA, "spark.symshuffle.rapids.mode=device");
    assertEquals("PE 0 of 1, whole", answer(0), "it waits for nobody");
    assertEquals("filled", ask(0, "FILL"));
    newcomer(1, CUDA, "spark.symshuffle.rapids.mode=device");
    assertEquals("PE 1 of 2, whole", answer(1));
    assertEquals("read 100", ask(1, "READ 0"));
    processes.get(0).kill();
    handler.executorLost("0");
    newcomer(2, CUDA, "spark.symshuffle.rapids.mode=device");
    String successor = answer(2);
    assertTrue(successor.startsWith("PE 2 of "), successor);
    assertEquals("filled", ask(1, "FILL"));
    assertEquals("read 101", ask(2, "READ 1"));
    assertEquals("filled", ask(2, "FILL"));
    assertEquals("read 102", ask(1, "READ 2"));
  }

  @Test
  @Tag("full")
  void keepsGpuMemoryForTheHeapOfCudaUntilRapidsHasStarted() throws Exception {
    driver(1, Duration.ofMinutes(10), false);
    newcomerWithRapids("spark.rapids.memory.gpu.reserve=100m");
    assertEquals("PE 0 of 1, whole", answer(0));
    assertEquals("16 MiB", ask(0, "MEMORY"), "the heap's size");
    assertEquals("ran", ask(0, "TASK"));
    assertEquals("0 MiB", ask(0, "MEMORY"));
    assertEquals("filled", ask(0, "FILL"));
  }

  @Test
  @Tag("full")
  void leavesRapidsWhatItMustHave() throws Exception {
    driver(1, Duration.ofMinutes(10), false);
    newcomerWithRapids(
        "spark.rapids.memory.gpu.allocSize=500m", "spark.rapids.memory.gpu.reserve=2m");
    assertEquals("PE 0 of 1, whole", answer(0));
    assertEquals("10 MiB", ask(0, "MEMORY"), "of 512 MiB that are free");
    assertEquals("starting", ask(0, "ENGINE"));
    assertEquals("0 MiB", ask(0, "MEMORY"), "the self-test needs memory outside of RAPIDS' pool");
  }

  @Test
  @Tag("full")
  void failsTasksWithTheReasonWhenARequiredHeapOfCudaFails() throws Exception {
    driver(1, Duration.ofMinutes(10), true);
    FakeLibraries.script(Files.createDirectories(folder.resolve("cuda-0")), "vmm_access_rc=1");
    newcomer(0, CUDA, "spark.symshuffle.device.required=true");
    String state = answer(0);
    assertTrue(state.contains("MemSetAccess"), state);
    assertEquals(1, refusals.size(), refusals::toString);
  }

  private void driver(int expected, Duration limit, boolean required) {
    handler =
        new DriverRpcHandler(
            FolderToken.random(),
            ClusterShape.of(
                new SparkConf(false)
                    .set("spark.master", "spark://host:7077")
                    .set("spark.executor.cores", "1")
                    .set("spark.executor.instances", Integer.toString(expected))),
            membership,
            pusher,
            new DeviceCoordinator(
                new NvshmemEpochs(
                    new ExpectedPes(OptionalInt.of(expected), "the test"), limit, System::nanoTime),
                required,
                refusals::add),
            server::reach,
            List.of(),
            Optional::empty);
    server.open(handler);
    timeout = limit;
  }

  private Duration timeout;

  private void start(int count, String... settings) throws IOException {
    for (int id = 0; id < count; id++) {
      newcomer(id, settings);
    }
  }

  private void newcomer(int id, String... settings) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                Integer.toString(server.port()),
                Integer.toString(id),
                folder.toString(),
                "spark.symshuffle.device.enabled=true",
                "spark.symshuffle.device.heap.size=16m",
                "spark.symshuffle.device.timeout=%dms".formatted(timeout.toMillis())));
    arguments.addAll(List.of(settings));
    processes.add(new PeProcess(id, EpochPeMain.class, arguments));
  }

  /** Executor 0 of an application with RAPIDS, with small chunks of GPU memory. */
  private void newcomerWithRapids(String... settings) throws IOException {
    newcomer(
        0,
        Stream.concat(
                Stream.of(
                    CUDA,
                    "spark.symshuffle.device.chunk.size=2m",
                    "spark.plugins=io.symshuffle.SymShufflePlugin,com.nvidia.spark.SQLPlugin"),
                Stream.of(settings))
            .toArray(String[]::new));
  }

  private void hangsInTheStart(int id) throws IOException {
    script(id, "init_hang");
  }

  private void script(int id, String... words) throws IOException {
    FakeLibraries.script(Files.createDirectories(folder.resolve("nvshmem-" + id)), words);
  }

  /** Executors get their numbers in the order in which they join. */
  private int peOf(int executor) {
    return membership.member(Integer.toString(executor)).orElseThrow().pe();
  }

  private String ask(int executor, String step) throws InterruptedException {
    processes.get(executor).send(step);
    return answer(executor);
  }

  private String answer(int executor) throws InterruptedException {
    String answer =
        processes.get(executor).answer(System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS));
    assertTrue(answer.startsWith(PeMain.DONE), () -> answer + "\n" + output());
    return answer.substring(PeMain.DONE.length());
  }

  private void awaitState(int executor, String state) throws InterruptedException {
    await("PE " + executor + ": " + state)
        .atMost(Duration.ofSeconds(LIMIT_SECONDS))
        .until(() -> ask(executor, "STATE").equals(state));
  }

  /** Waits until the fake NVSHMEM of a PE waits for the others. */
  private void awaitAnyInTheStart() throws InterruptedException, IOException {
    await().atMost(Duration.ofSeconds(LIMIT_SECONDS)).until(() -> !sessions().isEmpty());
  }

  /** Files that the fakes leave in shared memory if not all of them have started. */
  private List<Path> sessions() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
      return files
          .filter(
              file ->
                  processes.stream()
                      .anyMatch(
                          process ->
                              file.getFileName()
                                  .toString()
                                  .startsWith("symshuffle-fake-" + process.pid() + "-")))
          .toList();
    }
  }

  private String output() {
    return processes.stream().map(PeProcess::output).collect(Collectors.joining());
  }
}
