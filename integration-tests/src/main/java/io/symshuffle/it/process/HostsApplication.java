// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.SharedClasses;
import io.symshuffle.benchmarks.launch.WorkerCluster;
import io.symshuffle.benchmarks.launch.WorkerCluster.Worker;
import io.symshuffle.it.program.HostsProgram;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A {@link HostsProgram} on hosts. Host 0 runs the master and the driver, the others one executor
 * each. Used by one thread.
 */
public final class HostsApplication implements AutoCloseable {

  private final Hosts hosts;
  private final Path work;
  private final SparkHome home;
  private WorkerCluster cluster;
  private ChildProcess driver;
  private int lines;

  /**
   * What a line needed.
   *
   * @param answer what the program printed
   * @param bytesOnLinks bytes that all hosts sent meanwhile
   */
  public record Round(String answer, long bytesOnLinks) {}

  private HostsApplication(Hosts hosts, Path work) {
    this.hosts = hosts;
    this.work = work;
    this.home = SparkHome.create(work.resolve("spark-home"), List.of(Jars.plugin()));
  }

  /**
   * Starts an application and waits until all executors run.
   *
   * @param hosts at least two; not closed with the application
   * @param work folder for logs; each host sees it
   * @param rows number of rows of each round
   * @param conf settings in addition to those that it needs
   */
  public static HostsApplication start(
      Hosts hosts, Path work, long rows, Map<String, String> conf) {
    return start(hosts, work, rows, conf, host -> List.of());
  }

  /** Returns why hosts cannot run what this build has built; empty if they can. */
  public static Optional<String> obstacle() {
    return Hosts.hide(Path.of("").toAbsolutePath())
        ? Optional.of("hosts have their own /tmp and /dev/shm, so they do not see this build")
        : Hosts.obstacle();
  }

  /**
   * As above, with a command for each host that runs the command of its worker.
   *
   * @param prefixes returns the command for a host; empty for none
   */
  public static HostsApplication start(
      Hosts hosts,
      Path work,
      long rows,
      Map<String, String> conf,
      IntFunction<List<String>> prefixes) {
    HostsApplication application = new HostsApplication(hosts, work);
    try {
      application.start(rows, conf, prefixes);
      return application;
    } catch (RuntimeException | Error e) {
      application.close();
      throw e;
    }
  }

  private void start(long rows, Map<String, String> more, IntFunction<List<String>> prefixes) {
    List<Worker> workers =
        IntStream.range(1, hosts.count())
            .mapToObj(host -> worker(host, hosts.on(host, prefixes.apply(host))))
            .toList();
    cluster = home.cluster(work, hosts.on(0, List.of()), hosts.address(0), workers);
    List<String> submit = new ArrayList<>();
    Collections.addAll(submit, "org.apache.spark.deploy.SparkSubmit", "--master");
    submit.add(cluster.master().url());
    Collections.addAll(submit, "--class", HostsProgram.class.getName());
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.plugins", "io.symshuffle.SymShufflePlugin");
    conf.put("spark.driver.host", hosts.address(0));
    conf.put("spark.driver.bindAddress", hosts.address(0));
    conf.put("spark.executor.memory", "700m");
    conf.put("spark.executor.extraClassPath", Jars.join(Jars.sharedFirst()));
    conf.put("spark.executor.extraJavaOptions", String.join(" ", SharedClasses.options()));
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.sql.shuffle.partitions", "8");
    conf.putAll(more);
    conf.forEach((key, value) -> Collections.addAll(submit, "--conf", key + "=" + value));
    submit.add(Jars.holding(HostsProgram.class, work).toString());
    submit.add(Long.toString(rows));
    submit.add(Integer.toString(hosts.count() - 1));
    List<String> command = new ArrayList<>(home.java(512));
    command.addAll(submit);
    driver =
        home.process(hosts.on(0, command))
            .environment(Map.of("SPARK_LOCAL_IP", hosts.address(0)))
            .name("driver")
            .log(work.resolve("driver.log"))
            .start();
    driver.awaitOutput(Pattern.compile("(?m)^ready$"), Await.LIMIT);
  }

  private Worker worker(int host, List<String> prefix) {
    return new Worker(prefix, hosts.address(host), OptionalInt.empty(), 1, 1, Map.of());
  }

  /** Kills the executor of a host; its worker starts another one. */
  public void killExecutor(int host) {
    cluster
        .worker(host - 1)
        .descendants()
        .filter(
            process -> process.info().commandLine().orElse("").contains("CoarseGrainedExecutor"))
        .forEach(ProcessHandle::destroyForcibly);
  }

  /**
   * Sends a line to the program, see {@link HostsProgram}.
   *
   * @return the line with a number, for {@link #answer}
   */
  public String send(String line) {
    String numbered = line + " #" + ++lines;
    driver.send(numbered);
    return numbered;
  }

  /** Waits for the answer to a line from {@link #send}. */
  public String answer(String line) {
    Pattern pattern = Pattern.compile("answer=(.*) of " + Pattern.quote(line) + "\n");
    return driver.awaitOutput(pattern, Await.LIMIT).group(1);
  }

  /** Sends a line and waits for its answer. */
  public Round round(String line) {
    long before = hosts.bytes();
    String answer = answer(send(line));
    return new Round(answer, hosts.bytes() - before);
  }

  /** The driver's output and log so far. */
  public String log() {
    return driver.output();
  }

  /** Ends all processes. */
  @Override
  public void close() {
    if (driver != null) {
      driver.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }
}
