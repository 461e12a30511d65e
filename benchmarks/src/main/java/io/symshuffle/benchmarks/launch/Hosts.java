// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Several hosts on one machine: network namespaces with links of a chosen rate, each with its own
 * {@code /dev/shm}, {@code /tmp} and host name. This machine is in their network, too. Needs root
 * and iproute2.
 *
 * <p>Several groups of hosts can exist at a time. They are removed by {@link #close}, and when this
 * JVM ends, including by Ctrl-C. What a killed JVM left is removed when its group's number is used
 * again. Methods may be called from any thread.
 */
public final class Hosts implements AutoCloseable {
  /** The most hosts of a group. */
  public static final int MAX_COUNT = 64;

  private static final Path STATE = Path.of("/run/symshuffle-hosts");
  private static final int GROUPS = 100;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration TIME_TO_END = Duration.ofSeconds(10);

  private final Path script;
  private final int group;
  private final FileChannel lock;
  private final int count;
  private final List<String> environment;
  private final Thread atExit;
  private boolean closed;

  private Hosts(Path script, int group, FileChannel lock, int count, List<String> environment) {
    this.script = script;
    this.group = group;
    this.lock = lock;
    this.count = count;
    this.environment = environment;
    this.atExit = Thread.ofPlatform().unstarted(this::remove);
  }

  /** Returns whether hosts do not see a folder, because they have their own. */
  public static boolean hide(Path folder) {
    return folder.startsWith("/tmp") || folder.startsWith("/dev/shm");
  }

  /** Returns why this machine cannot have such hosts; empty if it can. */
  public static Optional<String> obstacle() {
    return obstacle(Optional.empty());
  }

  /** As above, with a folder of iproute2, see {@link #create(Path, int, long, Optional)}. */
  static Optional<String> obstacle(Optional<Path> iproute) {
    return failure(
        iproute,
        "[ $(id -u) = 0 ] || { echo only root can create network namespaces; exit 1; };"
            + " for tool in ip tc nsenter unshare taskset; do command -v $tool >/dev/null"
            + " || { echo $tool is missing: install iproute2 and util-linux, or name a folder with"
            + " --iproute; exit 1; }; done; ip netns add symprobe$$ && ip netns del symprobe$$");
  }

  /** Returns why links cannot have a rate on this machine; empty if they can. */
  static Optional<String> rateObstacle(Optional<Path> iproute) {
    return failure(
            iproute,
            "ip netns add symprobe$$ || exit 1; tc -n symprobe$$ qdisc add dev lo root"
                + " tbf rate 1gbit burst 512kb latency 50ms;"
                + " status=$?; ip netns del symprobe$$; exit $status")
        .map(reason -> "the kernel cannot limit links with sch_tbf: " + reason);
  }

  /** Runs a script; returns what it printed if it failed. */
  private static Optional<String> failure(Optional<Path> iproute, String script) {
    String tools =
        iproute
            .map(
                folder ->
                    "ip() { LD_LIBRARY_PATH='%1$s/lib' '%1$s/bin/ip' \"$@\"; }; tc() { LD_LIBRARY_PATH='%1$s/lib' '%1$s/bin/tc' \"$@\"; };"
                        .formatted(folder))
            .orElse("");
    ChildProcess.Result outcome = run(List.of("bash", "-c", tools + script));
    return outcome.passed() ? Optional.empty() : Optional.of(String.join(" ", outcome.lines()));
  }

  private static ChildProcess.Result run(List<String> command) {
    return ChildProcess.of(command).timeToEnd(TIME_TO_END).tryRun(LIMIT);
  }

  /**
   * Creates hosts.
   *
   * @param folder for the script; created if missing
   * @param count number of hosts, from 1 to {@value #MAX_COUNT}
   * @param rate rate of each link, such as {@code 300mbit}, or {@code none}, the default
   * @throws CliException if they cannot be created; nothing is left then
   */
  public static Hosts create(Path folder, int count, String... rate) {
    return create(folder, count, List.of(), rate);
  }

  /**
   * Creates hosts without a limit of their links.
   *
   * @param folder for the script and the hosts' {@code /tmp}; created if missing
   * @param count number of hosts, from 1 to {@value #MAX_COUNT}
   * @param sharedMiB size of each host's {@code /dev/shm}
   * @param iproute folder with {@code bin/ip}, {@code bin/tc} and their shared libraries in {@code
   *     lib}; empty for those of the system
   * @throws CliException if they cannot be created; nothing is left then
   */
  static Hosts create(Path folder, int count, long sharedMiB, Optional<Path> iproute) {
    List<String> environment = new ArrayList<>(List.of("SYMSHUFFLE_SHM=" + sharedMiB + "m"));
    iproute.ifPresent(tools -> environment.add("SYMSHUFFLE_IPROUTE=" + tools));
    return create(folder, count, environment);
  }

  private static Hosts create(Path folder, int count, List<String> environment, String... rate) {
    Path script = folder.toAbsolutePath().resolve("hosts.sh");
    try (InputStream in = Hosts.class.getResourceAsStream("hosts.sh")) {
      Files.createDirectories(script.getParent());
      Files.copy(Objects.requireNonNull(in), script, StandardCopyOption.REPLACE_EXISTING);
      Files.createDirectories(STATE);
      for (int group = 0; group < GROUPS; group++) {
        FileChannel lock = lock(STATE.resolve(group + ".lock"));
        if (lock != null) {
          return new Hosts(script, group, lock, count, environment).up(rate);
        }
      }
    } catch (IOException e) {
      throw new CliException("Cannot prepare hosts in " + folder + " and " + STATE + ": " + e, e);
    }
    throw new CliException(
        "All " + GROUPS + " groups of hosts are in use: see the locked files in " + STATE + ".");
  }

  /** Returns null if another group of hosts has the number. */
  private static FileChannel lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (Folders.tryLock(channel).isPresent()) {
      return channel;
    }
    channel.close();
    return null;
  }

  private Hosts up(String... rate) {
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      run("down", List.of(Integer.toString(MAX_COUNT)));
      List<String> up = new ArrayList<>(List.of(network(), Integer.toString(count)));
      up.addAll(List.of(rate));
      run("up", up);
      return this;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Changes all links, see {@link #create}.
   *
   * @throws CliException if the kernel refuses them
   */
  public void shape(String rate) {
    run("shape", List.of(Integer.toString(count), rate));
  }

  /** Disconnects a host, or connects it again. Packets on the way are lost. */
  public void connect(int host, boolean connected) {
    run("link", List.of(Integer.toString(host), connected ? "up" : "down"));
  }

  /**
   * Sends a signal to all processes on a host.
   *
   * @param signal its name, such as {@code STOP}
   */
  public void signal(int host, String signal) {
    run("signal", List.of(Integer.toString(host), signal));
  }

  /** Returns the number of hosts. */
  public int count() {
    return count;
  }

  /** Returns the address of a host. */
  public String address(int host) {
    return network() + "." + (10 + host);
  }

  /** Returns the address of this machine in the network of the hosts. */
  public String outside() {
    return network() + ".1";
  }

  /** Returns the settings with which executors on the hosts reach a driver on this machine. */
  public Map<String, String> driverSettings() {
    return Map.of("spark.driver.host", outside(), "spark.driver.bindAddress", outside());
  }

  /** Returns the command line that runs a command on a host. */
  public List<String> on(int host, List<String> command) {
    List<String> all =
        new ArrayList<>(List.of("bash", script.toString(), "on", prefix(), Integer.toString(host)));
    all.addAll(command);
    return all;
  }

  /** Returns the bytes that all hosts have sent so far, from the counters of their interfaces. */
  public long bytes() {
    return Long.parseLong(String.join("", run("bytes", List.of(Integer.toString(count)))).strip());
  }

  private String network() {
    return "10.79." + group;
  }

  private String prefix() {
    return "symh" + group + "x";
  }

  private List<String> run(String action, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of("env"));
    command.addAll(environment);
    command.addAll(List.of("bash", script.toString(), action, prefix()));
    command.addAll(arguments);
    ChildProcess.Result outcome = run(command);
    if (!outcome.passed()) {
      throw new CliException(
          "'%s' %s: %s".formatted(String.join(" ", command), outcome.ending(), outcome.output()));
    }
    return outcome.lines();
  }

  /** Removes the hosts and ends what still runs on them. */
  @Override
  public void close() {
    remove();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The JVM is ending: it has removed them, or waits for this call.
    }
  }

  private synchronized void remove() {
    if (closed) {
      return;
    }
    closed = true;
    try (lock) {
      run("down", List.of(Integer.toString(count)));
    } catch (IOException e) {
      throw new CliException("Cannot unlock the group of hosts " + group + ": " + e, e);
    }
  }
}
