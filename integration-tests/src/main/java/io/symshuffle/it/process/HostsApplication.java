// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import io.symshuffle.benchmarks.launch.Hosts;
import io.symshuffle.benchmarks.launch.SharedClasses;
import io.symshuffle.it.program.HostsProgram;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.regex.Pattern;

/**
 * A {@link HostsProgram} on hosts. Host 0 runs the master and the driver, the others one executor
 * each. Used by one thread.
 */
public final class HostsApplication implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(4);

  private final Hosts hosts;
  private final Path work;
  private final SparkHome home;
  private final List<ChildProcess> processes = new ArrayList<>();
  private final List<ChildProcess> workers = new ArrayList<>();
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

  /** {@return why hosts cannot run what this build has built; empty if they can} */
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
    String main = "org.apache.spark.deploy.master.Master";
    List<String> arguments =
        List.of(main, "--host", hosts.address(0), "--port", "7077", "--webui-port", "0");
    launch(0, "master", List.of(), arguments)
        .awaitOutput(Pattern.compile("Starting Spark master at"), LIMIT);
    String url = "spark://" + hosts.address(0) + ":7077";
    for (int host = 1; host < hosts.count(); host++) {
      List<String> worker = new ArrayList<>();
      Collections.addAll(worker, "org.apache.spark.deploy.worker.Worker", "--host");
      Collections.addAll(worker, hosts.address(host), "--webui-port", "0", "--cores", "1");
      Collections.addAll(worker, "--memory", "1g", "--work-dir");
      Collections.addAll(worker, work.resolve("work-" + host).toString(), url);
      workers.add(launch(host, "worker-" + host, prefixes.apply(host), worker));
    }
    Pattern registered = Pattern.compile("Successfully registered with master");
    workers.forEach(worker -> worker.awaitOutput(registered, LIMIT));
    List<String> submit = new ArrayList<>();
    Collections.addAll(submit, "org.apache.spark.deploy.SparkSubmit", "--master", url);
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
    driver = launch(0, "driver", List.of(), submit);
    driver.awaitOutput(Pattern.compile("(?m)^ready$"), LIMIT);
  }

  private ChildProcess launch(int host, String name, List<String> prefix, List<String> arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(home.java(512));
    command.addAll(arguments);
    ChildProcess process =
        home.process(hosts.on(host, command))
            .environment(Map.of("SPARK_LOCAL_IP", hosts.address(host)))
            .name(name)
            .log(work.resolve(name + ".log"))
            .start();
    processes.add(process);
    return process;
  }

  /** Kills the executor of a host; its worker starts another one. */
  public void killExecutor(int host) {
    workers
        .get(host - 1)
        .handle()
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
    return driver.awaitOutput(pattern, LIMIT).group(1);
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

  /** Kills all processes. */
  @Override
  public void close() {
    processes.reversed().forEach(ChildProcess::close);
  }
}
