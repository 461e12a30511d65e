// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.protocol.LineChannel;
import io.symshuffle.benchmarks.protocol.LineCodec;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.report.EverySecond;
import io.symshuffle.benchmarks.report.Waiting;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import io.symshuffle.process.ChildProcess;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A Spark application in a separate process that answers requests. Used by one thread. Every wait
 * has a limit; an application that dies or exceeds the limit cannot be used anymore, and the error
 * message names its log.
 */
public final class Application implements AutoCloseable {
  private static final int ACCEPT_SLICE_MILLIS = 200;
  private static final Duration TIME_TO_STOP = Duration.ofSeconds(20);

  /** Killed earlier, a driver on a busy machine leaves heaps in memory. */
  private static final Duration TIME_TO_END = Duration.ofSeconds(60);

  private final ApplicationSpec spec;
  private final Console console;
  private final ChildProcess process;
  private final ServerSocket server;
  private final String token;
  private LineChannel channel;
  private Reply.Ready ready;
  private boolean hangs;
  private volatile String hopeless = "";

  private Application(
      ApplicationSpec spec,
      Console console,
      ChildProcess process,
      ServerSocket server,
      String token) {
    this.spec = spec;
    this.console = console;
    this.process = process;
    this.server = server;
    this.token = token;
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
      prepare(spec.folder(), runtime.sparkJars());
      return start(spec, new SubmitCommand(spec, runtime), group, console);
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

  /** As above, with any command and in an existing folder. */
  static Application start(ApplicationSpec spec, StartCommand command, Console console)
      throws IOException {
    return start(spec, command, Optional.empty(), console);
  }

  private static Application start(
      ApplicationSpec spec, StartCommand command, Optional<MemoryGroup> group, Console console)
      throws IOException {
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    String token = HexFormat.of().formatHex(random);
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    List<String> line = command.line(server.getLocalPort());
    ChildProcess process =
        unlessEnding(
            ChildProcess.of(group.isPresent() ? group.get().command(line) : line)
                .name("the application '" + spec.name() + "'")
                .environment(command.environment(token))
                .folder(spec.folder())
                .log(spec.folder().resolve("driver.log"))
                .input("")
                .timeToEnd(TIME_TO_END)
                .start());
    return new Application(spec, console, process, server, token);
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
   * @throws CliException if it ends first, or has no executors within the limit; earlier if
   *     executors die again and again, or a standalone master has no resources for them
   */
  public Reply.Ready awaitReady(Duration limit) {
    StartLog start = new StartLog(spec, log());
    EverySecond check = new EverySecond(() -> start.verdict().ifPresent(this::giveUp));
    Waiting waiting =
        console.waiting(() -> "the application '" + name() + "' to start: " + start.state());
    try {
      return awaitReady(limit, System.nanoTime() + limit.toNanos());
    } finally {
      check.close();
      waiting.close();
    }
  }

  /** Ends the process, so that the thread that waits for it continues. */
  private void giveUp(String reason) {
    if (hopeless.isEmpty() && !TerminationHook.isEnding()) {
      hopeless = reason;
      process.handle().destroyForcibly();
    }
  }

  private Reply.Ready awaitReady(Duration limit, long deadline) {
    try {
      while (ready == null) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw timedOut("did not start", limit);
        }
        if (!process.isAlive()) {
          throw died("while starting");
        }
        ready = accept(Duration.ofNanos(left));
      }
      return ready;
    } catch (SocketTimeoutException e) {
      throw timedOut("had no executor that ran a task", limit);
    } catch (IOException e) {
      throw died("while starting");
    }
  }

  /** Its description of itself from when it became ready. */
  public Reply.Ready ready() {
    return ready;
  }

  /** Whether this JVM is shutting down, so that the end of applications is expected. */
  public static boolean isEnding() {
    return TerminationHook.isEnding();
  }

  /** The live executors that it started on this machine. */
  public List<ProcessHandle> executors() {
    // The executors of a local cluster are the only children of its driver.
    return process.handle().children().filter(ProcessHandle::isAlive).toList();
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
    try (Waiting waiting = console.waiting(() -> "'" + name() + "' to finish " + what)) {
      channel.send(LineCodec.line((Record) request));
      while (true) {
        Duration left = Duration.ofNanos(deadline - System.nanoTime());
        if (left.toMillis() <= 0) {
          throw timedOut("did not finish " + what, limit);
        }
        Reply reply = LineCodec.reply(channel.receive(left));
        if (reply instanceof Reply.Progress step) {
          progress.accept(step);
          waiting.restart();
        } else if (reply instanceof Reply.Failed && TerminationHook.isEnding()) {
          // Its driver was interrupted, too, and stopped Spark under the request.
          throw died("during " + what);
        } else {
          return reply;
        }
      }
    } catch (SocketTimeoutException e) {
      throw timedOut("did not finish " + what, limit);
    } catch (IOException e) {
      throw died("during " + what);
    }
  }

  /** Asks the application to stop, so that it can clean up, and then ends its processes. */
  @Override
  public void close() {
    Waiting waiting = console.waiting(() -> "'" + name() + "' to stop");
    try {
      stop();
    } finally {
      waiting.close();
    }
  }

  private void stop() {
    try {
      if (channel != null && !hangs && process.isAlive()) {
        channel.send(LineCodec.line(new Request.Stop()));
        process.endsWithin(TIME_TO_STOP);
      }
    } catch (IOException e) {
      // It has ended, or is about to.
    } finally {
      process.close();
      closeSockets();
    }
  }

  private void closeSockets() {
    try (server) {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // There is nothing left to send.
    }
  }

  /** Returns null if there was no connection, or one without the token. */
  private Reply.Ready accept(Duration left) throws IOException {
    server.setSoTimeout(ACCEPT_SLICE_MILLIS);
    Socket socket;
    try {
      socket = server.accept();
    } catch (SocketTimeoutException e) {
      return null;
    }
    LineChannel candidate = new LineChannel(socket);
    if (LineCodec.reply(candidate.receive(left)) instanceof Reply.Ready first
        && token.equals(first.token())) {
      channel = candidate;
      return first;
    }
    candidate.close();
    return null;
  }

  private CliException died(String when) {
    if (!hopeless.isEmpty()) {
      return new CliException(hopeless);
    }
    String status =
        process.endsWithin(Duration.ofSeconds(10))
            ? " with exit status " + process.exitStatus()
            : "";
    String hint = TerminationHook.isEnding() ? "" : LogHint.of(log());
    return failure(
        "The application '"
            + spec.name()
            + "' ended"
            + status
            + " "
            + when
            + ". Its log: "
            + log()
            + hint);
  }

  private CliException timedOut(String what, Duration limit) {
    hangs = true;
    ThreadDumps.write(process.handle(), spec.folder());
    return failure(
        "The application '"
            + spec.name()
            + "' "
            + what
            + " within "
            + limit.toSeconds()
            + " s and was ended. Its log, with thread dumps in the same folder: "
            + log()
            + LogHint.of(log()));
  }

  /** One that has started has failed at its work; one that has not could not run. */
  private CliException failure(String message) {
    return ready == null ? new CliException(message) : CliException.problem(message);
  }

  private static void prepare(Path folder, Path sparkJars) throws IOException {
    Folders.delete(folder);
    Files.createDirectories(folder);
    Files.createSymbolicLink(folder.resolve("jars"), sparkJars);
  }
}
