// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Console.Waiting;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.process.ChildProcess;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A master of Apache Celeborn and its workers, here or on {@link Hosts}, from a folder with a build
 * of it: their jars in {@code jars/}, and the client for this Spark version. Its data is in memory:
 * in the workers as far as their memory tier has room, the rest in {@code /dev/shm}.
 */
public final class CelebornService implements AutoCloseable {
  private static final Pattern MASTER_STARTED = Pattern.compile("Master started");
  private static final Pattern REGISTERED = Pattern.compile("Register worker successfully");
  private static final String MASTER = "master";
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final List<String> SERVER_JARS =
      List.of("celeborn-master_", "celeborn-worker_", "celeborn-common_");
  private static final String CLIENT_JAR = "celeborn-client-spark-4-shaded_";

  private static final long LEAST_DIRECT_BYTES = 1L << 30;

  /**
   * Where a worker runs.
   *
   * @param prefix command that runs the worker's command; empty to run it on this machine
   * @param address where it listens
   */
  record Place(List<String> prefix, String address) {
    Place {
      prefix = List.copyOf(prefix);
    }
  }

  private final Path build;
  private final Path folder;
  private final ServiceProcesses processes;
  private final Path data;
  private final String address;
  private final int port;
  private final TerminationHook ending;
  private boolean closed;

  @SuppressWarnings("this-escape") // the hook runs when the command ends, after the constructor
  private CelebornService(Path build, Path folder, String address) throws IOException {
    this.build = build.toAbsolutePath();
    this.folder = folder.toAbsolutePath();
    this.address = address;
    this.port = freePort();
    this.data = Files.createTempDirectory(SHARED_MEMORY, "symshuffle-celeborn-");
    this.processes = new ServiceProcesses(folder, "Celeborn's");
    this.ending = new TerminationHook(this::close);
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
   * Starts all processes and waits until the workers are registered.
   *
   * @param folder for logs and configuration; created, or replaced if it exists
   * @param address where the master listens, on this machine
   * @throws CliException if a process does not start within ten minutes; all are ended then
   */
  static CelebornService start(
      Path build, Path folder, String address, List<Place> workers, Console console) {
    Waiting waiting = console.waiting("Celeborn to start in " + folder);
    CelebornService service = null;
    boolean started = false;
    try {
      Folders.delete(folder);
      Files.createDirectories(folder);
      service = new CelebornService(build, folder, address);
      service.start(workers);
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
    return Map.of("spark.celeborn.master.endpoints", endpoint());
  }

  private String endpoint() {
    return address + ":" + port;
  }

  /** Returns which process has ended, a sentence; empty if none has. */
  Optional<String> loss() {
    return processes.loss();
  }

  /** Returns its processes. */
  List<ProcessHandle> handles() {
    return processes.handles();
  }

  /** Also runs when the command is interrupted; what is in memory would stay otherwise. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    ending.close();
    processes.close();
    try {
      Folders.delete(data);
    } catch (IOException e) {
      throw new CliException("Cannot delete " + data + ": " + Failures.reason(e) + ".", e);
    }
  }

  private void start(List<Place> workers) throws IOException {
    FileStore store = Files.getFileStore(SHARED_MEMORY);
    long capacity = store.getUsableSpace() / 2 / workers.size();
    long direct = Math.max(3L << 30, store.getTotalSpace() / 4) / workers.size();
    String deploy = "org.apache.celeborn.service.deploy.";
    ChildProcess master =
        run(
            MASTER,
            new Place(List.of(), address),
            capacity,
            List.of("-Xmx512m"),
            List.of(deploy + "master.Master", "--host", address, "--port", "" + port));
    processes.await(master, MASTER, MASTER_STARTED);
    List<ChildProcess> started = new ArrayList<>();
    for (Place place : workers) {
      started.add(
          run(
              worker(started.size()),
              place,
              capacity,
              List.of("-Xmx2g", "-XX:MaxDirectMemorySize=" + Math.max(LEAST_DIRECT_BYTES, direct)),
              List.of(
                  deploy + "worker.Worker",
                  "--host",
                  place.address(),
                  "celeborn://" + endpoint())));
    }
    for (int i = 0; i < started.size(); i++) {
      processes.await(started.get(i), worker(i), REGISTERED);
    }
  }

  private static String worker(int number) {
    return "worker" + number;
  }

  /** Starts a process with a folder for its configuration. */
  private ChildProcess run(
      String name, Place place, long capacity, List<String> memory, List<String> main)
      throws IOException {
    Path conf = Files.createDirectories(folder.resolve(name));
    // Its logs tell when it has started.
    Files.writeString(
        conf.resolve("log4j2.properties"),
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
        conf.resolve("celeborn-defaults.conf"),
        """
        celeborn.master.endpoints %1$s
        celeborn.master.host %2$s
        celeborn.master.http.host %2$s
        celeborn.master.http.port %3$d
        celeborn.worker.http.host %4$s
        celeborn.worker.http.port %3$d
        celeborn.storage.availableTypes MEMORY,SSD
        celeborn.worker.storage.storagePolicy.createFilePolicy MEMORY,SSD
        celeborn.worker.directMemoryRatioForMemoryFileStorage 0.3
        celeborn.worker.memoryFileStorage.maxFileSize 64m
        celeborn.worker.storage.dirs %5$s:capacity=%6$d:disktype=SSD
        celeborn.worker.storage.disk.reserve.size 512m
        celeborn.worker.monitor.disk.enabled false
        celeborn.worker.flusher.buffer.size 256k
        """
            .formatted(endpoint(), address, freePort(), place.address(), data, capacity));
    List<String> line = new ArrayList<>(place.prefix());
    line.addAll(ServiceProcesses.java(memory.toArray(String[]::new)));
    line.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
    line.addAll(List.of("-cp", conf + ":" + build + "/jars/*"));
    line.addAll(main);
    return processes.start(
        name,
        line,
        Map.of(
            WorkerCluster.CELEBORN_IP,
            place.address(),
            "CELEBORN_HOME",
            build.toString(),
            "CELEBORN_CONF_DIR",
            conf.toString()));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
