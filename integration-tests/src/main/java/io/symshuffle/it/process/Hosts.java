// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Several hosts on one machine: network namespaces with links of a chosen rate, each with its own
 * {@code /dev/shm}, {@code /tmp} and host name. Needs root and iproute2.
 */
public final class Hosts implements AutoCloseable {
  private static final String PREFIX = "symit";
  private static final String NETWORK = "10.79.77";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Path script;
  private final int count;

  private Hosts(Path script, int count) {
    this.script = script;
    this.count = count;
  }

  /** {@return why this machine cannot have such hosts; empty if it can} */
  public static Optional<String> obstacle() {
    try {
      ChildProcess.Result result =
          ChildProcess.of(
                  "bash",
                  "-c",
                  "[ $(id -u) = 0 ] || { echo only root can create network namespaces; exit 1; };"
                      + " for tool in ip tc nsenter unshare; do command -v $tool >/dev/null"
                      + " || { echo $tool is missing: install iproute2 and util-linux; exit 1; };"
                      + " done; ip netns add symitprobe && ip netns del symitprobe")
              .run(LIMIT);
      return result.status() == 0 ? Optional.empty() : Optional.of(result.output().strip());
    } catch (UncheckedIOException e) {
      return Optional.of(e.toString());
    }
  }

  /**
   * Creates hosts; removes those of an earlier, interrupted run.
   *
   * @param folder for the script
   * @param count number of hosts
   * @param link rate of each link, such as {@code 300mbit}, or {@code none}; followed by arguments
   *     of netem, such as {@code loss 2%}
   */
  public static Hosts create(Path folder, int count, String... link) {
    Path script = folder.toAbsolutePath().resolve("hosts.sh");
    try (InputStream in = Hosts.class.getResourceAsStream("/io/symshuffle/it/hosts.sh")) {
      Files.createDirectories(folder);
      Files.copy(Objects.requireNonNull(in), script, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("copying hosts.sh to " + folder, e);
    }
    Hosts hosts = new Hosts(script, count);
    hosts.close();
    List<String> up = new ArrayList<>(List.of(NETWORK, Integer.toString(count)));
    up.addAll(List.of(link));
    hosts.run("up", up);
    return hosts;
  }

  /** Changes all links, see {@link #create}. */
  public void shape(String... link) {
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(count)));
    arguments.addAll(List.of(link));
    run("shape", arguments);
  }

  /** {@return the address of a host} */
  public String address(int host) {
    return NETWORK + "." + (10 + host);
  }

  /** {@return the command line that runs a command on a host} */
  public List<String> on(int host, List<String> command) {
    List<String> all =
        new ArrayList<>(List.of("bash", script.toString(), "on", PREFIX, Integer.toString(host)));
    all.addAll(command);
    return all;
  }

  /** {@return bytes that all hosts have sent so far} */
  public long bytes() {
    return Long.parseLong(run("bytes", List.of(Integer.toString(count))).strip());
  }

  private String run(String action, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of("bash", script.toString(), action, PREFIX));
    command.addAll(arguments);
    ChildProcess.Result result = ChildProcess.of(command).run(LIMIT);
    if (result.status() != 0) {
      throw new AssertionError("%s failed: %s".formatted(command, result.output()));
    }
    return result.output();
  }

  /** Removes the hosts and ends what still runs on them. */
  @Override
  public void close() {
    run("down", List.of(Integer.toString(count)));
  }
}
