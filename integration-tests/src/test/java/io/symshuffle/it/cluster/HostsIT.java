// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.WorkerCluster;
import io.symshuffle.it.Folders;
import io.symshuffle.it.process.HostsApplication;
import io.symshuffle.it.process.HostsApplication.Round;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application whose executors are on different hosts: network namespaces of this machine. Host 0
 * runs the master and the driver, the others one executor each.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class HostsIT {
  private static final Path FOLDERS = Path.of("target", "it-work", "HostsIT").toAbsolutePath();

  /** Spark notices lost executors soon. */
  private static final Map<String, String> IMPATIENT =
      Map.of(
          "spark.network.timeout", "15s",
          "spark.network.timeoutInterval", "5s",
          "spark.executor.heartbeatInterval", "2s",
          "spark.shuffle.io.maxRetries", "1",
          "spark.shuffle.io.retryWait", "1s",
          "spark.symshuffle.transfer.compression", "none");

  /** Map outputs of decommissioned executors move. */
  private static final Map<String, String> MOVING =
      Map.of(
          "spark.decommission.enabled", "true",
          "spark.storage.decommission.enabled", "true",
          "spark.storage.decommission.replicationReattemptInterval", "1s");

  private Path work;
  private Path shared;
  private Hosts hosts;
  private BadLinks links;
  private HostsApplication application;

  @BeforeAll
  static void deleteFoldersOfEarlierRuns() {
    Folders.delete(FOLDERS);
  }

  @BeforeEach
  void skipWithoutHosts() throws IOException {
    Optional<String> obstacle = HostsApplication.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    work = Files.createTempDirectory(Files.createDirectories(FOLDERS), "");
    shared = work.resolve("shared");
  }

  @AfterEach
  void removeHosts() {
    if (application != null) {
      application.close();
    }
    if (links != null) {
      links.close();
    }
    if (hosts != null) {
      hosts.close();
    }
    if (shared != null && Files.exists(shared)) {
      ChildProcess.of("umount", shared.toString()).run(Await.LIMIT);
    }
  }

  /** One application for both, because it takes most of the time to start it. */
  @Test
  void sendsFewerBytesThanSortShuffleAndMovesMapOutputsOfDecommissionedExecutors() {
    start(3, 200_000, MOVING, "300mbit");
    Round ours = application.round("ours");
    Round sort = application.round("sort");
    assertEquals(sort.answer(), ours.answer());
    assertTrue(
        ours.bytesOnLinks() * 10 < sort.bytesOnLinks() * 8, ours + ", sort shuffle: " + sort);

    String expected = application.round("keep").answer();
    assertEquals(expected + ", computed again: 0", application.round("read").answer());
    application.round("decommission " + hosts.address(1));
    assertEquals(expected + ", computed again: 0", application.round("read").answer());
    // Those that arrived at host 2 move on to the new executor of host 1.
    application.round("decommission " + hosts.address(2));
    assertEquals(expected + ", computed again: 0", application.round("read").answer());
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({"50, 0", "0, 0.02", "20, 0.01"})
  void givesSameAnswerOnBadLinks(long delayMillis, double loss) {
    Optional<String> obstacle = BadLinks.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    hosts = Hosts.create(work, 3);
    links = BadLinks.between(hosts, Duration.ofMillis(delayMillis), loss, 1);
    application = HostsApplication.start(hosts, work, 200_000, Map.of());
    assertEquals(application.round("sort").answer(), application.round("ours").answer());
    assertTrue(links.passed() > 1_000, () -> links.passed() + " packets passed");
    assertEquals(loss > 0, links.dropped() > 10, () -> links.dropped() + " packets dropped");
  }

  @Test
  @Tag("long")
  void recomputesWhatFallbackStorageDoesNotTake() throws Exception {
    Path fallback = Files.createDirectories(work.resolve("fallback"));
    Map<String, String> settings = new HashMap<>(MOVING);
    settings.put("spark.storage.decommission.fallbackStorage.path", fallback.toUri() + "/");
    start(3, 100_000, settings, "none");
    String expected = application.round("keep").answer();
    application.round("decommission " + hosts.address(1));
    String answer = application.round("read").answer();
    assertTrue(answer.startsWith(expected + ", computed again: "), answer);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"disconnected", "stalled"})
  void recomputesWhatIsLostWithHostInMidTransfer(String how) {
    start(3, 400_000, IMPATIENT, "none");
    String expected = application.round("sort").answer();
    application.round("ours");
    hosts.shape("10mbit");
    long before = hosts.bytes();
    String line = application.send("ours");
    Await.until("blocks are sent", () -> hosts.bytes() > before + 1_000_000);
    if (how.equals("stalled")) {
      hosts.signal(2, "STOP");
    } else {
      hosts.connect(2, false);
    }
    hosts.shape("none");
    assertEquals(expected, application.answer(line));
    Pattern message =
        Pattern.compile(
            "map output \\d+ of shuffle \\d+ of executor \\d+ on "
                + Pattern.quote(hosts.address(2))
                + ":\\d+ cannot be read");
    assertTrue(message.matcher(application.log()).find(), application::log);
    if (how.equals("stalled")) {
      hosts.signal(2, "CONT");
    } else {
      hosts.connect(2, true);
    }
    assertEquals(expected, application.round("ours").answer());
  }

  /** Processes of two pods see each other's heaps in a folder; a third pod has its own folder. */
  @Test
  @Tag("long")
  void podsOfOneNodeReadInPlaceInSharedFolder() throws Exception {
    mountShared();
    Map<String, String> conf = Map.of("spark.symshuffle.heap.dir", shared.toString());
    hosts = Hosts.create(work, 3);
    application = HostsApplication.start(hosts, work, 200_000, conf, host -> pod(false));
    Round sort = application.round("sort");
    Round ours = application.round("ours");
    assertEquals(sort.answer(), ours.answer());
    assertTrue(ours.bytesOnLinks() * 4 < sort.bytesOnLinks(), ours + ", sort shuffle: " + sort);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(booleans = {true, false})
  void podThatSharesNothingCountsAsAHost(boolean peerMapping) throws Exception {
    mountShared();
    Map<String, String> conf =
        Map.of(
            "spark.symshuffle.heap.dir", shared.toString(),
            "spark.symshuffle.read.peerMapping", Boolean.toString(peerMapping));
    hosts = Hosts.create(work, 4);
    application = HostsApplication.start(hosts, work, 200_000, conf, host -> pod(host == 3));
    assertEquals(application.round("sort").answer(), application.round("ours").answer());
  }

  /**
   * Hosts 1 and 2 are pods of a node, which share a folder for heaps but not their disks; host 3 is
   * another node. All or some of the runs are on disk.
   */
  @ParameterizedTest
  @ValueSource(strings = {"1m", "24m"})
  void podsWithSeparateDisksAskEachOther(String heapSize) throws Exception {
    mountShared();
    Path disk = Files.createDirectories(work.resolve("local"));
    Map<String, String> conf =
        Map.of(
            "spark.symshuffle.heap.dir",
            shared.toString(),
            "spark.symshuffle.heap.size",
            heapSize,
            "spark.symshuffle.staging.size",
            "256k");
    hosts = Hosts.create(work, 4);
    application =
        HostsApplication.start(
            hosts,
            work,
            600_000,
            conf,
            host -> pod(host == 3 ? List.of(disk, shared) : List.of(disk)));
    assertEquals(application.round("sort").answer(), application.round("ours").answer());
    String expected = application.round("keep").answer();
    assertEquals(expected + ", computed again: 0", application.round("read").answer());
  }

  /** Hosts 1 and 2 share a folder, so their executors read each other's heaps; host 3 does not. */
  private void startWithSharedHeaps(long rows) throws Exception {
    mountShared();
    Map<String, String> conf = Map.of("spark.symshuffle.heap.dir", shared.toString());
    hosts = Hosts.create(work, 4);
    application = HostsApplication.start(hosts, work, rows, conf, host -> pod(host == 3));
  }

  @Test
  void livingExecutorAnswersForALostOneOfItsHost() throws Exception {
    startWithSharedHeaps(100_000);
    String expected = application.round("keep").answer();
    application.killExecutor(1);
    Pattern successor = Pattern.compile("PE 3 is executor 3 on ");
    Await.until(
        "an executor replaces the lost one", () -> successor.matcher(application.log()).find());
    assertEquals(expected + ", computed again: 0", application.round("read").answer());

    // Of these two only that of host 2 has map outputs, so all tasks of host 3 ask it.
    int before = fetches(3);
    hosts.signal(2, "STOP");
    String line = application.send("read");
    Await.until("a task waits for an answer", () -> fetches(3) > before);
    application.killExecutor(2);
    hosts.signal(2, "CONT");
    assertEquals(expected + ", computed again: 0", application.answer(line));
    // That of host 1, or already the next one of host 2.
    Pattern failover = Pattern.compile("asking executor [34] on the same host");
    assertTrue(failover.matcher(executorLogs(3)).find(), () -> executorLogs(3));
  }

  /** Tasks of hosts 1 and 2 map each other's memory, and ask host 3 for bytes. */
  @Test
  void tasksOfABarrierStageShareMemoryWithinAndBetweenHosts() throws Exception {
    startWithSharedHeaps(1_000);
    Round round = application.round("barrier");
    assertEquals("right", round.answer());
    assertTrue(round.bytesOnLinks() > 1_000_000, round::toString);
  }

  /** How many times tasks of a host have sent requests for blocks. */
  private int fetches(int host) {
    return (int)
        Pattern.compile("Started [1-9]\\d* remote fetches")
            .matcher(executorLogs(host))
            .results()
            .count();
  }

  private String executorLogs(int host) {
    try (Stream<Path> files = Files.walk(WorkerCluster.workFolder(work, host - 1))) {
      StringBuilder logs = new StringBuilder();
      for (Path log : files.filter(file -> file.endsWith("stderr")).toList()) {
        logs.append(Files.readString(log));
      }
      return logs.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void mountShared() throws Exception {
    Files.createDirectories(shared);
    ChildProcess.Result mount =
        ChildProcess.of("mount", "-t", "tmpfs", "-o", "size=1g", "shared", shared.toString())
            .run(Await.LIMIT);
    assertEquals(0, mount.status(), mount::output);
  }

  /** The command that runs a command in its own IPC, PID and mount namespaces. */
  private List<String> pod(boolean alone) {
    return pod(alone ? List.of(shared) : List.of());
  }

  /** As above, with volumes of its own at existing folders. */
  private static List<String> pod(List<Path> volumes) {
    String mount =
        volumes.stream()
            .map(folder -> "mount -t tmpfs -o size=1g own " + folder + " && ")
            .collect(Collectors.joining());
    return List.of(
        "unshare",
        "--ipc",
        "--pid",
        "--mount",
        "--fork",
        "--mount-proc",
        "--kill-child",
        "sh",
        "-c",
        mount + "exec \"$@\"",
        "pod");
  }

  private void start(int count, long rows, Map<String, String> conf, String... link) {
    hosts = Hosts.create(work, count, link);
    application = HostsApplication.start(hosts, work, rows, conf);
  }
}
