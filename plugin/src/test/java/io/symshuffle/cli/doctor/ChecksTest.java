// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.cli.Recommendation;
import io.symshuffle.cli.Terminal;
import io.symshuffle.cli.doctor.HostProbe.HostName;
import io.symshuffle.heap.host.MemoryLimits;
import io.symshuffle.plugin.config.SparkVersion;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The doctor finds each known problem on a machine that has it, and none on a healthy machine. */
class ChecksTest {
  private static final Map<String, Consumer<FakeHost>> MACHINES = new LinkedHashMap<>();

  private static void machine(String id, Consumer<FakeHost> machine) {
    MACHINES.put(id, machine);
  }

  private static void ringSays(String id, int status, String... output) {
    machine(
        id,
        h -> {
          h.twoGpus();
          h.nvshmemRing = new ChildProcess.Result(status, false, String.join("\n", output));
        });
  }

  static {
    machine(
        "java-too-old",
        h -> h.variable("JAVA_HOME", "/jdk17").file("jdk17/release", "JAVA_VERSION=\"17.0.15\"\n"));
    machine("faulty-g1", h -> h.java = Runtime.Version.parse("25.0.2+10-LTS"));
    machine(
        "faulty-compact-headers",
        h -> h.set("spark.executor.extraJavaOptions", "-XX:+UseCompactObjectHeaders"));
    machine("other-system", h -> h.properties.put("os.name", "Mac OS X"));
    machine("other-processor", h -> h.properties.put("os.arch", "aarch64"));
    machine("other-spark", h -> h.jar("spark-core_2.13-3.5.1.jar"));
    machine(
        "java-too-new",
        h ->
            h.jar("hadoop-client-api-3.4.2.jar")
                .variable("JAVA_HOME", "/jdk25")
                .file("jdk25/release", "JAVA_VERSION=\"25.0.3\"\n"));
    machine(
        "two-jars-of-ours",
        h ->
            h.jar("symshuffle-spark-4.2_2.13-0.1.0.jar")
                .jar("symshuffle-spark-4.2_2.13-0.2.0.jar"));
    machine(
        "native-access-denied",
        h -> h.set("spark.executor.extraJavaOptions", "--illegal-native-access=deny"));
    machine(
        "unsafe-denied",
        h -> h.variable("JDK_JAVA_OPTIONS", "--sun-misc-unsafe-memory-access=deny"));
    machine(
        "security-manager",
        h -> h.set("spark.driver.extraJavaOptions", "-Djava.security.manager=allow"));
    machine("wrong-setting", h -> h.set("spark.symshuffle.heap.size", "much"));
    machine("missing-plugin-class", h -> h.set("spark.plugins", "io.symshuffle.SymShuflePlugin"));
    machine("missing-jar", h -> h.set("spark.jars", "file:/opt/missing.jar"));
    machine("not-switched-on", h -> h.set("spark.master", "yarn"));
    machine("other-shuffle-manager", h -> h.set("spark.shuffle.manager", "org.example.Manager"));
    machine(
        "file-cleanup",
        h -> h.set("spark.sql.classic.shuffleDependency.fileCleanup.enabled", "true"));
    machine("shuffle-service", h -> h.set("spark.shuffle.service.enabled", "true"));
    machine(
        "dynamic-allocation",
        h ->
            h.set("spark.dynamicAllocation.enabled", "true")
                .set("spark.dynamicAllocation.shuffleTracking.enabled", "false"));
    machine("not-tuned", h -> h.set("spark.executor.memory", "32g"));
    machine("heap-folder-unusable", h -> h.fault("/dev/shm", "the folder /dev/shm does not exist"));
    machine("shared-memory-small", h -> h.place("/dev/shm", 64L << 20, true));
    machine("heap-on-disk", h -> h.place("/dev/shm", 32L << 30, false));
    machine(
        "encrypted-heap-on-disk",
        h -> h.place("/dev/shm", 32L << 30, false).set("spark.io.encryption.enabled", "true"));
    machine("disk-folder-unusable", h -> h.fault("/tmp", "user 1000 cannot write to /tmp"));
    machine("disk-nearly-full", h -> h.place("/tmp", 1L << 30, false));
    machine("disk-is-memory", h -> h.place("/tmp", 100L << 30, true));
    machine(
        "heap-larger-than-memory",
        h -> {
          h.set("spark.symshuffle.heap.size", "20g");
          h.memory = new MemoryLimits(OptionalLong.of(64L << 30), OptionalLong.of(8L << 30));
        });
    machine(
        "memory-scarce",
        h -> h.memory = new MemoryLimits(OptionalLong.of(500L << 20), OptionalLong.empty()));
    machine("strict-overcommit", h -> h.file("proc/sys/vm/overcommit_memory", "2\n"));
    machine("host-name-unresolved", h -> h.hostName = new HostName("node1", List.of(), true, 0.01));
    machine(
        "host-name-is-loopback",
        h -> h.hostName = new HostName("node1", List.of("127.0.1.1"), true, 0.01));
    machine(
        "host-name-slow", h -> h.hostName = new HostName("node1", List.of("10.0.0.1"), false, 5.0));
    machine(
        "few-open-files",
        h -> h.file("proc/self/limits", FakeHost.limits("256", "1024", "unlimited", "unlimited")));
    machine(
        "address-space-limited",
        h ->
            h.file(
                "proc/self/limits", FakeHost.limits("1024", "65536", "8589934592", "unlimited")));
    machine(
        "pinned-memory-refused",
        h ->
            h.twoGpus().gpus =
                new GpuFacts(
                    "",
                    13000,
                    "580.95.05",
                    "CUDA cannot pin 64 MiB of host memory",
                    h.gpus.gpus()));
    machine("pinned-memory-scarce", h -> h.twoGpus().set("spark.executor.memoryOverhead", "1400m"));
    machine("slow-path", h -> h.file("sys/class/net/eth0/speed", "100\n"));
    machine("executors-in-own-containers", h -> h.variable("KUBERNETES_SERVICE_HOST", "10.0.0.1"));
    machine(
        "gpus-in-own-containers",
        h -> h.twoGpus().withGpus(FakeHost.gpu(0)).variable("KUBERNETES_SERVICE_HOST", "10.0.0.1"));
    machine(
        "host-heap-broken",
        h -> h.shmRing = new ChildProcess.Result(1, false, "NOT all 2 PEs passed"));
    machine(
        "machine-busy",
        h -> {
          h.file("proc/loadavg", "9999.00 9999.00 9999.00 1/2 3\n");
          h.shmRing = new ChildProcess.Result(137, true, "");
        });
    machine("driver-not-usable", h -> h.file("dev/nvidiactl", ""));
    machine(
        "driver-too-old",
        h -> {
          h.twoGpus();
          h.gpus = new GpuFacts("", 11080, "520.61.05", "", h.gpus.gpus());
        });
    machine("no-gpu-visible", h -> h.twoGpus().withGpus().variable("CUDA_VISIBLE_DEVICES", ""));
    machine("gpu-too-old", h -> h.twoGpus().withGpus(gpuNamed("Tesla V100", 70)));
    machine("gpu-in-mig-mode", h -> h.twoGpus().withGpus(gpuNamed("NVIDIA H200 MIG 1g.18gb", 90)));
    machine("gpu-twice", h -> h.twoGpus().withGpus(FakeHost.gpu(0, 0), FakeHost.gpu(0, 0)));
    machine(
        "gpu-memory-taken",
        h ->
            h.twoGpus()
                .set("spark.plugins", "com.nvidia.spark.SQLPlugin,io.symshuffle.SymShufflePlugin"));
    machine("no-peer-access", h -> h.twoGpus().withGpus(FakeHost.gpu(0), FakeHost.gpu(1)));
    machine("no-nvlink", h -> h.twoGpus().withGpus(overPcie(0, 1), overPcie(1, 0)));
    machine(
        "nvshmem-not-found",
        h -> {
          h.twoGpus().set("spark.symshuffle.device.backend", "nvshmem");
          h.nvshmem = NvshmemFacts.absent("NVSHMEM's host library was not found");
        });
    machine(
        "nvshmem-incomplete", h -> nvshmem(h, "nvshmem_bootstrap_uid.so.3 is missing", "3.4.5"));
    machine("nvshmem-version", h -> nvshmem(h, "3.3.0 or newer of 3.x is needed", "3.0.6"));
    machine(
        "nvshmem-twice",
        h -> {
          h.twoGpus();
          h.nvshmem =
              new NvshmemFacts("", "/a/l.so", "3.4.5", "/opt/nvshmem/lib", List.of("/a/l", "/b/l"));
        });
    machine(
        "socket-folder",
        h -> {
          h.twoGpus();
          h.nvshmemRing = new ChildProcess.Result(255, false, "IPC failure: Binding socket failed");
        });
    machine("stale-sockets", h -> h.file("tmp/nvshmem-socket-4711-4712", ""));
    machine(
        "no-socket-interface",
        h -> h.twoGpus().variable("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "=ib0"));
    machine("infiniband-on-one-host", h -> h.variable("NVSHMEM_REMOTE_TRANSPORT", "ibrc"));
    machine("nvlink-multicast", h -> h.variable("NVSHMEM_DISABLE_NVLS", "0"));
    machine("other-bootstrap", h -> h.set("spark.executorEnv.NVSHMEM_BOOTSTRAP", "MPI"));
    ringSays(
        "nvshmem-not-started",
        255,
        "NVSHMEM API called before NVSHMEM initialization has completed");
    ringSays("every-pe-alone", 1, "Total PEs: 1");
    machine(
        "nvshmem-start-hangs",
        h -> {
          h.twoGpus();
          h.nvshmemRing = new ChildProcess.Result(137, true, "");
        });
    ringSays("nvshmem-start-died", 139, "something nobody has seen before");
    machine(
        "cuda-memory-not-shared",
        h -> {
          h.twoGpus();
          h.cudaRing = new ChildProcess.Result(1, false, "cuMemSetAccess(0, 2097152) failed: 1");
        });
    machine(
        "rapids-twice",
        h -> h.jar("rapids-4-spark_2.13-26.08.1.jar").jar("cudf-26.08.0-cuda13.jar"));
    machine("rapids-other-version", h -> h.jar("rapids-4-spark_2.13-24.02.0.jar"));
    machine(
        "rapids-not-switched-on",
        h ->
            h.jar("rapids-4-spark_2.13-26.08.1-cuda13.jar")
                .set("spark.plugins", SparkChecks.PLUGIN));
  }

  @TempDir private Path root;

  static Set<String> ids() {
    return MACHINES.keySet();
  }

  @ParameterizedTest
  @MethodSource("ids")
  void findsProblemOnMachineThatHasIt(String id) {
    FakeHost machine = new FakeHost(root);
    MACHINES.get(id).accept(machine);
    Report report = Report.of(machine.host());
    assertTrue(found(report).contains(id), report.json()::toPrettyString);
    assertTrue(report.json().findValuesAsText("id").contains(id), report.json()::toPrettyString);
  }

  @Test
  void everyKnownProblemHasATestMachine() {
    Set<String> known =
        Report.CHECKS.stream()
            .flatMap(check -> check.problems().stream())
            .map(KnownProblem::id)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(known, new TreeSet<>(MACHINES.keySet()));
  }

  @Test
  void findsNothingOnHealthyMachines() {
    FakeHost cpu = new FakeHost(root);
    FakeHost gpu = new FakeHost(root.resolve("gpu")).twoGpus();
    gpu.set("spark.plugins", SparkChecks.PLUGIN)
        .jar("spark-core_2.13-" + SparkVersion.ofThisJar().text() + ".9.jar")
        .jar("hadoop-client-api-3.5.0.jar");
    assertAll(
        () -> assertEquals(Set.of(), found(Report.of(cpu.host()))),
        () -> assertEquals(Set.of(), found(Report.of(gpu.host()))));
  }

  @Test
  void namesTheSettingsOfAnExpertThatAreMissing() {
    FakeHost machine =
        new FakeHost(root)
            .set("spark.plugins", SparkChecks.PLUGIN)
            .set("spark.executor.memory", "32g")
            .set("spark.executor.extraJavaOptions", "-Xms20g");
    assertEquals(Set.of(), found(Report.of(machine.host())));
    machine.set("spark.plugins", SparkChecks.PLUGIN + "," + SparkChecks.RAPIDS_PLUGIN);
    machine.set("spark.rapids.memory.pinnedPool.size", "0");
    machine.set("spark.sql.files.maxPartitionBytes", "1g");
    assertContains(
        "Not set: spark.rapids.memory.pinnedPool.size, spark.locality.wait",
        Report.of(machine.host()));
    for (Recommendation setting : ExpertSettings.onGpus(4, 8L << 30, 128)) {
      machine.set(setting.key(), setting.value());
    }
    machine.set("spark.locality.wait", "0");
    assertFalse(found(Report.of(machine.host())).contains("not-tuned"));
  }

  @Test
  void countsPinnedMemoryBesidesTheHeaps() {
    FakeHost machine =
        new FakeHost(root)
            .twoGpus()
            .set("spark.plugins", SparkChecks.PLUGIN)
            .set("spark.executor.memory", "20g")
            .set("spark.executor.extraJavaOptions", "-Xms10g")
            .set("spark.symshuffle.heap.size", "4g");
    machine.memory = new MemoryLimits(OptionalLong.of(64L << 30), OptionalLong.of(26L << 30));
    Report report = Report.of(machine.host());
    assertEquals(Set.of("pinned-memory-scarce"), found(report));
    assertContains(
        "An executor needs 27.0 GiB, 1.0 GiB of it pinned, but the cgroup limit is 26.0 GiB",
        report);
    machine.set("spark.symshuffle.transfer.pinned", "0");
    assertEquals(Set.of(), found(Report.of(machine.host())));
    // 2 GiB for the JVM, 4 GiB for the heap, and 1 GiB that is pinned; MiB are Spark's unit.
    machine.memory = new MemoryLimits(OptionalLong.of(64L << 30), OptionalLong.empty());
    machine.set("spark.symshuffle.transfer.pinned", "1g");
    machine.set("spark.executor.memoryOverhead", "" + 7 * 1024);
    assertEquals(Set.of(), found(Report.of(machine.host())));
    machine.set("spark.executor.memoryOverhead", "" + (7 * 1024 - 1));
    assertEquals(Set.of("pinned-memory-scarce"), found(Report.of(machine.host())));
  }

  @Test
  void examinesJavaOfExecutors() {
    FakeHost machine = new FakeHost(root);
    machine
        .set("spark.plugins", SparkChecks.PLUGIN)
        .set("spark.executorEnv.JAVA_HOME", "/jdk25")
        .file("jdk25/release", "IMPLEMENTOR=\"Eclipse Adoptium\"\nJAVA_VERSION=\"25.0.1\"\n");
    assertEquals(Set.of("faulty-g1"), found(Report.of(machine.host())));
    machine.set("spark.driver.extraJavaOptions", "-XX:+UseParallelGC");
    assertEquals(Set.of("faulty-g1"), found(Report.of(machine.host())));
    machine.set("spark.executor.extraJavaOptions", "-Xmn1g -XX:+UseZGC");
    assertEquals(Set.of(), found(Report.of(machine.host())));
  }

  @Test
  void namesTheJarForTheSparkOfSparkHome() {
    for (SparkVersion version : SparkVersion.SUPPORTED) {
      FakeHost machine = withSparkHome(version);
      Report report = Report.of(machine.host());
      assertContains("with Scala 2.13: use " + version.jar().orElseThrow(), report);
      assertEquals(Set.of(), found(report));
    }
  }

  @Test
  void comparesTheJarOfTheApplicationWithTheSparkOfSparkHome() {
    for (SparkVersion version : SparkVersion.SUPPORTED) {
      for (SparkVersion other : SparkVersion.SUPPORTED) {
        String jar = other.jar().orElseThrow();
        FakeHost machine =
            withSparkHome(version)
                .set("spark.plugins", SparkChecks.PLUGIN)
                .file("opt/" + jar, "")
                .set("spark.jars", "/opt/" + jar);
        Report report = Report.of(machine.host());
        if (other.equals(version)) {
          assertEquals(Set.of(), found(report));
        } else {
          assertEquals(Set.of("other-spark"), found(report));
          assertContains("use %s, not %s".formatted(version.jar().orElseThrow(), jar), report);
        }
      }
    }
  }

  private FakeHost withSparkHome(SparkVersion version) {
    String core = "spark-core_2.13-" + version.text() + ".7.jar";
    return new FakeHost(root.resolve(version.text()))
        .file("spark/jars/" + core, "")
        .variable("SPARK_HOME", "/spark")
        .jar("spark-core_2.13-" + SparkVersion.ofThisJar().text() + ".0.jar");
  }

  private static void assertContains(String expected, Report report) {
    String text = report.text(Terminal.NONE);
    assertTrue(text.replaceAll("\\s+", " ").contains(expected), text);
  }

  @Test
  void doesNotSayThatApplicationsStartIfAPluginIsMissing() {
    FakeHost machine =
        new FakeHost(root).set("spark.plugins", SparkChecks.PLUGIN + ",org.example.Missing");
    Report report = Report.of(machine.host());
    assertContains(
        "no jar of the application that can be read here contains org.example.Missing", report);
    assertContains("Applications with SymShuffle start: no", report);
    machine.set("spark.jars.packages", "org.example:missing:1.0");
    assertContains("Applications with SymShuffle start: yes", Report.of(machine.host()));
  }

  @Test
  void ringOnABusyMachineProvesNothing() {
    FakeHost machine = new FakeHost(root);
    machine.shmRing = new ChildProcess.Result(137, true, "");
    assertContains(
        "in place: no. A ring of 2 PEs in /dev/shm did not finish in time and was killed.",
        Report.of(machine.host()));
    machine.file("proc/loadavg", "9999.00 9999.00 9999.00 1/2 3\n");
    Report busy = Report.of(machine.host());
    assertContains(
        "in place: unknown. A ring of 2 PEs in /dev/shm did not finish in time and was killed.",
        busy);
    assertContains("Applications with SymShuffle start: yes", busy);
    machine.shmRing = new ChildProcess.Result(1, false, "NOT all 2 PEs passed");
    assertContains("in place: no. A ring", Report.of(machine.host()));
  }

  @Test
  void ringUsesTheFolderOfTheHeap() {
    FakeHost machine =
        new FakeHost(root)
            .set("spark.local.dir", "/full,/tmp/not-yet")
            .folder("full")
            .place("/full", 1 << 20, false)
            .place("/mnt/ram", 32L << 30, true);
    assertRingIn("/dev/shm", machine);
    machine.fault("/dev/shm", "cannot write to /dev/shm");
    assertRingIn("/tmp", machine);
    // Docker's default.
    machine.place("/dev/shm", 64L << 20, true);
    assertRingIn("/tmp", machine);
    machine.set("spark.symshuffle.heap.dir", "/mnt/ram");
    assertRingIn("/mnt/ram", machine);
    machine.place("/mnt/ram", 0, true);
    machine.place("/tmp", 0, false);
    assertRingIn("/mnt/ram", machine);
  }

  private static void assertRingIn(String folder, FakeHost machine) {
    machine.ringFolders.clear();
    assertContains(
        "Two processes exchanged data through " + folder + " ", Report.of(machine.host()));
    assertEquals(List.of(Path.of(folder)), machine.ringFolders);
  }

  @Test
  void podsThatShareAFolderNeedNoCommonContainerForCudaHeaps() {
    FakeHost pod =
        new FakeHost(root)
            .twoGpus()
            .withGpus(FakeHost.gpu(0))
            .variable("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    assertTrue(
        found(Report.of(pod.host()))
            .containsAll(Set.of("executors-in-own-containers", "gpus-in-own-containers")));
    pod.set("spark.symshuffle.heap.dir", "/dev/shm");
    pod.set("spark.symshuffle.device.backend", "cuda");
    Report report = Report.of(pod.host());
    assertFalse(found(report).contains("executors-in-own-containers"), report::toString);
    assertFalse(found(report).contains("gpus-in-own-containers"), report::toString);
    assertContains("that mount the same memory at /dev/shm read it in place", report);
  }

  @Test
  void findsPluginsInJarsAndAcceptsRemoteOnes() throws IOException {
    FakeHost machine =
        new FakeHost(root)
            .set("spark.plugins", SparkChecks.PLUGIN + ",org.example.Plugin")
            .set("spark.jars", "hdfs:///jars/other.jar, local:///opt/example.jar")
            .folder("opt");
    try (ZipOutputStream jar =
        new ZipOutputStream(Files.newOutputStream(root.resolve("opt/example.jar")))) {
      jar.putNextEntry(new ZipEntry("org/example/Plugin.class"));
    }
    assertEquals(Set.of(), found(Report.of(machine.host())));
  }

  @Test
  void examinesAllLocalFolders() {
    FakeHost machine =
        new FakeHost(root)
            .set("spark.local.dir", "/bad, /tmp")
            .folder("bad")
            .fault("/bad", "cannot write to /bad");
    assertDisk(
        machine, Finding.State.WARN, List.of("/tmp has 100.0 GiB free", "cannot write to /bad"));
    machine.variable("SPARK_LOCAL_DIRS", "/bad,/worse/folder");
    assertDisk(
        machine,
        Finding.State.FAIL,
        List.of("cannot write to /bad; / does not exist: set SPARK_LOCAL_DIRS"));
  }

  private static void assertDisk(FakeHost machine, Finding.State worst, List<String> found) {
    List<Finding> findings =
        Report.of(machine.host()).results().stream()
            .filter(result -> result.check().equals("local disk"))
            .map(Report.Result::finding)
            .toList();
    assertEquals(found, findings.stream().map(Finding::found).toList());
    assertEquals(
        worst, findings.stream().map(Finding::state).max(Comparator.naturalOrder()).orElseThrow());
  }

  @Test
  void saysThatStartHangsWhenRingGivesUpFirst() {
    FakeHost machine = new FakeHost(root).twoGpus();
    for (String line :
        List.of(
            "symshuffle: PE 0: nvshmem_init did not return within 33000 ms: a PE is missing.",
            "symshuffle: PE 1: PE 0 did not create nvshmem-id within 33 s.",
            "symshuffle: The PEs did not finish within 45 s and were killed.")) {
      machine.nvshmemRing = new ChildProcess.Result(1, false, line);
      assertEquals(Set.of("nvshmem-start-hangs"), found(Report.of(machine.host())), line);
    }
  }

  private static Set<String> found(Report report) {
    return report.results().stream()
        .flatMap(result -> result.finding().problem().stream())
        .map(KnownProblem::id)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static GpuFacts.Gpu gpuNamed(String name, int capability) {
    return new GpuFacts.Gpu(
        0, name, "GPU-0", capability, 30L << 30, 32L << 30, 0, 0, List.of(), List.of());
  }

  private static GpuFacts.Gpu overPcie(int ordinal, Integer peer) {
    return new GpuFacts.Gpu(
        ordinal,
        "NVIDIA L40S",
        "GPU-" + ordinal,
        89,
        40L << 30,
        48L << 30,
        0,
        0,
        List.of(peer),
        List.of());
  }

  private static void nvshmem(FakeHost host, String absence, String version) {
    host.twoGpus();
    host.nvshmem = new NvshmemFacts(absence, "/opt/l.so", version, "/opt", List.of("/opt/l.so"));
  }

  private static String gpuMemory(FakeHost machine) {
    return Report.of(machine.host()).abilities().getLast();
  }

  @Test
  void concludesGpuMemoryFromSettings(@TempDir Path root) {
    FakeHost machine = new FakeHost(root).twoGpus();
    String prefix = "Shuffles through GPU memory: ";
    assertTrue(gpuMemory(machine).startsWith(prefix + "no. The GPUs are ready, but"));
    machine.set("spark.plugins", "io.symshuffle.SymShufflePlugin,com.nvidia.spark.SQLPlugin");
    String tables = prefix + "yes, tables of the RAPIDS Accelerator, in ";
    assertEquals(tables + "memory of NVSHMEM.", gpuMemory(machine));
    machine.set("spark.symshuffle.rapids.mode", "host");
    assertTrue(gpuMemory(machine).contains("spark.symshuffle.rapids.mode=host"));
    machine.set("spark.symshuffle.rapids.mode", "auto");
    machine.set("spark.symshuffle.device.backend", "cuda");
    assertEquals(tables + "CUDA memory.", gpuMemory(machine));
    machine.set("spark.symshuffle.device.backend", "auto");
    machine.nvshmem = NvshmemFacts.absent("NVSHMEM's host library was not found");
    assertEquals(tables + "CUDA memory.", gpuMemory(machine));
    machine.set("spark.symshuffle.device.backend", "nvshmem");
    assertEquals(prefix + "no. NVSHMEM is not usable.", gpuMemory(machine));
    machine.set("spark.symshuffle.device.backend", "auto");
    machine.set("spark.authenticate", "true");
    assertTrue(gpuMemory(machine).startsWith(prefix + "no. "), gpuMemory(machine));
    assertTrue(gpuMemory(machine).contains("spark.authenticate=true"), gpuMemory(machine));
    machine.set("spark.symshuffle.enabled", "false");
    assertTrue(gpuMemory(machine).contains("spark.symshuffle.enabled is false"));
  }

  @Test
  void concludesInPlaceReadsFromSettings(@TempDir Path root) {
    FakeHost machine = new FakeHost(root);
    String prefix = "Executors on this host read each other's map outputs in place: ";
    machine.set("spark.plugins", "io.symshuffle.SymShufflePlugin");
    assertTrue(Report.of(machine.host()).abilities().contains(prefix + "yes."));
    machine.set("spark.symshuffle.read.peerMapping", "false");
    assertTrue(
        Report.of(machine.host())
            .abilities()
            .contains(prefix + "no. spark.symshuffle.read.peerMapping is false."));
  }

  @Test
  void namesTheUppermostOfTheMountsAtTheHeapFolder() {
    FakeHost machine =
        new FakeHost(root)
            .file(
                "proc/self/mountinfo",
                """
                1 1 0:1 / / rw - ext4 /dev/vda rw
                2 1 0:2 / /dev/shm rw - tmpfs lower rw
                3 2 0:3 / /dev/shm rw,nosuid - ramfs upper rw
                4 1 0:4 / /dev/shm/other rw - ext4 /dev/vdb rw
                """);
    assertContains("/dev/shm has 32.0 GiB free (ramfs rw,nosuid)", Report.of(machine.host()));
  }
}
