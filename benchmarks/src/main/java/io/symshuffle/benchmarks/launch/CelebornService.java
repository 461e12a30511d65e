// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Console.Waiting;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A master and a worker of Apache Celeborn on this machine, from a folder with a build of it: their
 * jars in {@code jars/}, and the client for this Spark version. Its data is in memory: in the
 * worker as far as its memory tier has room, the rest in {@code /dev/shm}.
 */
public final class CelebornService implements AutoCloseable {
  private static final Pattern MASTER_STARTED = Pattern.compile("Master started");
  private static final Pattern REGISTERED = Pattern.compile("Register worker successfully");
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final List<String> SERVER_JARS =
      List.of("celeborn-master_", "celeborn-worker_", "celeborn-common_");
  private static final String CLIENT_JAR = "celeborn-client-spark-4-shaded_";

  private final Path folder;
  private final ServiceProcesses processes;
  private final Path data;
  private String endpoint;

  private CelebornService(Path folder, Path data) {
    this.folder = folder;
    this.data = data;
    this.processes = new ServiceProcesses(folder, "Celeborn's");
  }

  /**
   * Returns the client's jar.
   *
   * @param build folder of a build
   * @throws CliException if a jar of the build is missing; the message names it
   */
  static Path client(Path build) {
    for (String jar : SERVER_JARS) {
      if (find(build.resolve("jars"), jar).isEmpty()) {
        throw missing(build, "jars/" + jar + "2.13-<version>.jar");
      }
    }
    return find(build, CLIENT_JAR)
        .orElseThrow(() -> missing(build, CLIENT_JAR + "2.13-<version>.jar"));
  }

  private static CliException missing(Path build, String what) {
    return CliException.wrongUsage(
        "--celeborn: %s has no %s. It needs the jars of Celeborn's master and worker and what they depend on in jars/, and its client for Spark 4 beside."
            .formatted(build, what));
  }

  private static Optional<Path> find(Path folder, String start) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(start))
          .filter(file -> file.toString().endsWith(".jar"))
          .sorted()
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Starts both processes and waits until the worker is registered.
   *
   * @param folder for logs and configuration; created, or replaced if it exists
   * @throws CliException if a process does not start within three minutes; both are ended then
   */
  static CelebornService start(Path build, Path folder, Console console) {
    Waiting waiting = console.waiting("Celeborn to start in " + folder);
    CelebornService service = null;
    boolean started = false;
    try {
      Folders.delete(folder);
      Files.createDirectories(folder);
      service =
          new CelebornService(
              folder, Files.createTempDirectory(SHARED_MEMORY, "symshuffle-celeborn-"));
      service.start(build);
      started = true;
      return service;
    } catch (IOException e) {
      throw new CliException("Cannot start Celeborn in " + folder + ": " + e, e);
    } finally {
      waiting.close();
      if (!started && service != null) {
        service.close();
      }
    }
  }

  /** Returns the settings with which applications find it. */
  Map<String, String> settings() {
    return Map.of(
        "spark.celeborn.master.endpoints",
        endpoint,
        // Otherwise it reaches executors, if at all, after minutes.
        "spark.executorEnv.CELEBORN_LOCAL_IP",
        WorkerCluster.HERE);
  }

  /** Returns its processes. */
  List<ProcessHandle> handles() {
    return processes.handles();
  }

  @Override
  public void close() {
    processes.close();
    try {
      Folders.delete(data);
    } catch (IOException e) {
      throw new CliException("Cannot delete " + data + ": " + Failures.reason(e) + ".", e);
    }
  }

  private void start(Path build) throws IOException {
    int port = freePort();
    endpoint = WorkerCluster.HERE + ":" + port;
    FileStore store = Files.getFileStore(SHARED_MEMORY);
    // Its logs tell when it has started.
    Files.writeString(
        folder.resolve("log4j2.properties"),
        """
        rootLogger.level = info
        rootLogger.appenderRef.out.ref = out
        appender.out.type = Console
        appender.out.name = out
        appender.out.layout.type = PatternLayout
        appender.out.layout.pattern = %d %p %c{1}: %m%n
        """);
    // The memory tier is experimental, in its own words. It may have 0.35 of the direct memory.
    Files.writeString(
        folder.resolve("celeborn-defaults.conf"),
        """
        celeborn.master.endpoints %s
        celeborn.master.host %s
        celeborn.master.http.host %s
        celeborn.master.http.port %d
        celeborn.worker.http.host %s
        celeborn.worker.http.port %d
        celeborn.storage.availableTypes MEMORY,SSD
        celeborn.worker.storage.storagePolicy.createFilePolicy MEMORY,SSD
        celeborn.worker.directMemoryRatioForMemoryFileStorage 0.3
        celeborn.worker.memoryFileStorage.maxFileSize 64m
        celeborn.worker.storage.dirs %s:capacity=%d:disktype=SSD
        celeborn.worker.storage.disk.reserve.size 512m
        celeborn.worker.monitor.disk.enabled false
        celeborn.worker.flusher.buffer.size 256k
        """
            .formatted(
                endpoint,
                WorkerCluster.HERE,
                WorkerCluster.HERE,
                freePort(),
                WorkerCluster.HERE,
                freePort(),
                data,
                store.getUsableSpace() / 2));
    String deploy = "org.apache.celeborn.service.deploy.";
    List<String> master =
        List.of(deploy + "master.Master", "--host", WorkerCluster.HERE, "--port", "" + port);
    run("master", build, master, MASTER_STARTED, "-Xmx512m");
    long direct = Math.max(3L << 30, store.getTotalSpace() / 4);
    List<String> worker =
        List.of(deploy + "worker.Worker", "--host", WorkerCluster.HERE, "celeborn://" + endpoint);
    run("worker", build, worker, REGISTERED, "-Xmx1g", "-XX:MaxDirectMemorySize=" + direct);
  }

  private void run(String name, Path build, List<String> main, Pattern sign, String... memory) {
    List<String> line = ServiceProcesses.java(memory);
    line.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
    String home = build.toAbsolutePath().toString();
    String conf = folder.toAbsolutePath().toString();
    line.addAll(List.of("-cp", conf + ":" + home + "/jars/*"));
    line.addAll(main);
    Map<String, String> environment =
        Map.of(
            "CELEBORN_LOCAL_IP",
            WorkerCluster.HERE,
            "CELEBORN_HOME",
            home,
            "CELEBORN_CONF_DIR",
            conf);
    processes.await(processes.start(name, line, environment), name, sign);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
