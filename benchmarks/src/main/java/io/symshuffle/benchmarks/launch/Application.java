// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.protocol.LineCodec;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.Console.Waiting;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.process.ChildProcess;
import io.symshuffle.process.TerminationHook;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Spark application in a separate process that answers requests: it reads them from its standard
 * input, and appends its replies to a file. Used by one thread. Every wait has a limit; an
 * application that dies or exceeds the limit cannot be used anymore, and the error message names
 * its log.
 */
public final class Application implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Pattern DEATH =
      Pattern.compile("Executor updated: \\S+ is now (?:EXITED|FAILED|LOST)");

  /** How many executors may die at their start; the reason is then hardly a coincidence. */
  private static final int MAX_DEATHS = 3;

  private static final Duration TIME_TO_STOP = Duration.ofSeconds(20);
  private static final Duration TIME_TO_DUMP = Duration.ofSeconds(30);

  /** Killed earlier, a driver on a busy machine leaves heaps in memory. */
  private static final Duration TIME_TO_END = Duration.ofSeconds(60);

  private final ApplicationSpec spec;
  private final Console console;
  private final ChildProcess process;
  private final BufferedReader replies;
  private final StringBuilder line = new StringBuilder();
  private Supplier<Optional<String>> loss = Optional::empty;
  private Reply.Ready ready;
  private boolean hangs;
  private long lastLook = System.nanoTime();

  private Application(
      ApplicationSpec spec, Console console, ChildProcess process, BufferedReader replies) {
    this.spec = spec;
    this.console = console;
    this.process = process;
    this.replies = replies;
  }

  /**
   * Starts the process without waiting until it is ready; see {@link #awaitReady}.
   *
   * @throws CliException if the process cannot be started
   */
  public static Application start(ApplicationSpec spec, SparkRuntime runtime, Console console) {
    return start(spec, runtime, Optional.empty(), console);
  }

  /** As above, with all its processes in a control group if one is given. */
  public static Application start(
      ApplicationSpec spec, SparkRuntime runtime, Optional<MemoryGroup> group, Console console) {
    try {
      Folders.delete(spec.folder());
      Files.createDirectories(spec.folder());
      Files.createSymbolicLink(spec.folder().resolve("jars"), runtime.sparkJars());
      SubmitCommand command = new SubmitCommand(spec, runtime);
      List<String> line = command.line(repliesOf(spec));
      return start(
          spec,
          group.isPresent() ? group.get().command(line) : line,
          command.environment(),
          console);
    } catch (UncheckedIOException e) {
      throw cannotStart(spec, e.getCause());
    } catch (IOException e) {
      throw cannotStart(spec, e);
    }
  }

  private static CliException cannotStart(ApplicationSpec spec, IOException e) {
    return new CliException(
        "Cannot start the application '" + spec.name() + "': " + Failures.reason(e) + ".", e);
  }

  static Path repliesOf(ApplicationSpec spec) {
    return spec.folder().resolve("replies.jsonl");
  }

  /** As above, with any command and in an existing folder. */
  static Application start(
      ApplicationSpec spec, List<String> command, Map<String, String> environment, Console console)
      throws IOException {
    Files.createFile(repliesOf(spec));
    ChildProcess process =
        unlessEnding(
            ChildProcess.of(command)
                .name("the application '" + spec.name() + "'")
                .environment(environment)
                .folder(spec.folder())
                .log(spec.folder().resolve("driver.log"))
                .timeToEnd(TIME_TO_END)
                .start());
    return new Application(spec, console, process, Files.newBufferedReader(repliesOf(spec)));
  }

  /**
   * Returns a process that was just started. What ends all processes when this JVM ends does not
   * know those that were started afterwards.
   *
   * @throws CliException if this JVM is ending; the process is ended
   */
  static ChildProcess unlessEnding(ChildProcess started) {
    if (TerminationHook.isEnding()) {
      started.close();
      throw new CliException("Interrupted at the start of " + started + ".");
    }
    return started;
  }

  /**
   * Waits until the application has executors.
   *
   * @throws CliException if it ends first, or has no executors within the limit
   */
  public Reply.Ready awaitReady(Duration limit) {
    if (ready == null) {
      Waiting waiting = console.waiting("the application '" + name() + "' to start");
      try {
        if (receive("did not start", "while starting", limit) instanceof Reply.Ready own) {
          ready = own;
        } else {
          throw new IllegalStateException(
              "the first reply of " + name() + " is not that it is ready");
        }
      } finally {
        waiting.close();
      }
    }
    return ready;
  }

  /** Its description of itself from when it became ready. */
  public Reply.Ready ready() {
    return ready;
  }

  /** The live executors that it started on this machine. */
  public List<ProcessHandle> executors() {
    // The executors of a local cluster are the only children of its driver.
    return process.handle().children().filter(ProcessHandle::isAlive).toList();
  }

  /**
   * Makes every wait end with an error when something is lost that the application needs, and
   * without which it would try for minutes.
   *
   * @param what says what is lost, a sentence; empty if nothing is
   */
  void needs(Supplier<Optional<String>> what) {
    loss = what;
  }

  /** For tests. */
  ProcessHandle process() {
    return process.handle();
  }

  /** Returns its name. */
  public String name() {
    return spec.name();
  }

  /** Returns the driver's log file. */
  public Path log() {
    return process.log();
  }

  /**
   * Sends a request and waits for the answer.
   *
   * @param what name of the request for messages, such as {@code q5}
   * @return the final reply, which may be a {@link Reply.Failed}
   * @throws CliException if the application dies or exceeds the limit
   */
  public Reply ask(
      Request request, String what, Duration limit, Consumer<Reply.Progress> progress) {
    long deadline = System.nanoTime() + limit.toNanos();
    Waiting waiting = console.waiting("'" + name() + "' to finish " + what);
    try {
      process.send(LineCodec.line((Record) request));
      while (true) {
        Duration left = Duration.ofNanos(deadline - System.nanoTime());
        Reply reply = receive("did not finish " + what, "during " + what, left);
        if (reply instanceof Reply.Progress step) {
          progress.accept(step);
        } else if (reply instanceof Reply.Failed && TerminationHook.isEnding()) {
          // Its driver was interrupted, too, and stopped Spark under the request.
          throw died("during " + what);
        } else {
          return reply;
        }
      }
    } catch (UncheckedIOException e) {
      throw died("during " + what);
    } finally {
      waiting.close();
    }
  }

  /** As above, for a request whose failure ends the command. */
  public Reply require(Request request, String what, Duration limit) {
    Reply reply = ask(request, what, limit, step -> {});
    if (reply instanceof Reply.Failed failed) {
      throw new CliException(
          "The application '%s' failed in %s: %s. Its log: %s"
              .formatted(name(), what, failed.message(), log()));
    }
    return reply;
  }

  /** Waits for the next line of the file of replies. */
  private Reply receive(String late, String when, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      while (true) {
        boolean alive = process.isAlive();
        for (int next = replies.read(); next >= 0; next = replies.read()) {
          if (next == '\n') {
            String whole = line.toString();
            line.setLength(0);
            return LineCodec.reply(whole);
          }
          line.append((char) next);
        }
        if (!alive) {
          throw died(when);
        }
        if (System.nanoTime() - deadline > 0) {
          throw timedOut(late, limit);
        }
        if (System.nanoTime() - lastLook >= LOOK.toNanos()) {
          lastLook = System.nanoTime();
          look(when);
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    } catch (IOException e) {
      throw new CliException(
          "Cannot read the replies of '%s': %s.".formatted(name(), Failures.reason(e)), e);
    }
  }

  /** Ends waits that are in vain. */
  private void look(String when) throws IOException {
    Optional<String> lost = loss.get();
    if (lost.isPresent()) {
      hangs = true;
      throw failure(
          "The application '%s' cannot continue %s: %s".formatted(name(), when, lost.get()));
    }
    if (ready == null && executorsDie()) {
      hangs = true;
      throw new CliException(
          "The executors of the application '%s' die when they start. Its log: %s%s"
              .formatted(name(), log(), LogHint.ofExecutors(spec.folder())));
    }
  }

  /** Spark starts executors that die at their start again and again. */
  private boolean executorsDie() throws IOException {
    try (Stream<String> lines = Files.lines(log())) {
      return lines.filter(line -> DEATH.matcher(line).find()).limit(MAX_DEATHS).count()
          == MAX_DEATHS;
    }
  }

  /** Asks the application to stop, so that it can clean up, and then ends its processes. */
  @Override
  public void close() {
    Waiting waiting = console.waiting("'" + name() + "' to stop");
    try (replies) {
      if (ready != null && !hangs && process.isAlive()) {
        process.send(LineCodec.line(new Request.Stop()));
        process.endsWithin(TIME_TO_STOP);
      }
    } catch (IOException | UncheckedIOException e) {
      // It has ended, or is about to.
    } finally {
      process.close();
      waiting.close();
    }
  }

  private CliException died(String when) {
    String status =
        process.endsWithin(Duration.ofSeconds(10))
            ? " with exit status " + process.exitStatus()
            : "";
    String hint = "";
    if (!TerminationHook.isEnding()) {
      hint = LogHint.of(log()) + (ready == null ? LogHint.ofExecutors(spec.folder()) : "");
    }
    return failure(
        "The application '%s' ended%s %s. Its log: %s%s"
            .formatted(name(), status, when, log(), hint));
  }

  private CliException timedOut(String what, Duration limit) {
    hangs = true;
    writeThreadDumps();
    return failure(
        "The application '%s' %s within %d s and was ended. Its log, with thread dumps in the same folder: %s%s"
            .formatted(name(), what, limit.toSeconds(), log(), LogHint.of(log())));
  }

  /** Writes a file {@code threads-<pid>.txt} per Java process of this machine; best effort. */
  private void writeThreadDumps() {
    String jcmd = SparkRuntime.javaHome().resolve("bin/jcmd").toString();
    for (ProcessHandle each :
        Stream.concat(Stream.of(process.handle()), process.handle().descendants()).toList()) {
      String pid = Long.toString(each.pid());
      ChildProcess.of(jcmd, pid, "Thread.print")
          .log(spec.folder().resolve("threads-" + pid + ".txt"))
          .tryRun(TIME_TO_DUMP);
    }
  }

  /** One that has started has failed at its work; one that has not could not run. */
  private CliException failure(String message) {
    return ready == null ? new CliException(message) : CliException.problem(message);
  }
}
