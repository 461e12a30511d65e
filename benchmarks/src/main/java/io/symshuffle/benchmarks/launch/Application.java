// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.protocol.LineChannel;
import io.symshuffle.benchmarks.protocol.LineCodec;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.cli.CliException;
import java.io.IOException;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A running Spark application that answers requests, in a process of its own. One thread uses it.
 * Every wait has a limit; an application that dies or exceeds it is over, and the message names its
 * log.
 */
public final class Application implements AutoCloseable {
  private static final int ACCEPT_SLICE_MILLIS = 200;
  private static final Duration TIME_TO_STOP = Duration.ofSeconds(20);

  private final ApplicationSpec spec;
  private final Process process;
  private final ServerSocket server;
  private final String token;
  private LineChannel channel;
  private Reply.Ready ready;

  private Application(ApplicationSpec spec, Process process, ServerSocket server, String token) {
    this.spec = spec;
    this.process = process;
    this.server = server;
    this.token = token;
  }

  /**
   * Starts the process and does not wait for it: see {@link #awaitReady}.
   *
   * @throws CliException if it cannot be started
   */
  public static Application start(ApplicationSpec spec, SparkRuntime runtime) {
    try {
      prepare(spec.folder(), runtime.sparkJars());
      return start(spec, new SubmitCommand(spec, runtime));
    } catch (IOException e) {
      throw new CliException(
          "The application '" + spec.name() + "' cannot be started: " + e.getMessage() + ".", e);
    }
  }

  /** The same with any command, in a folder that exists. */
  static Application start(ApplicationSpec spec, StartCommand command) throws IOException {
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    String token = HexFormat.of().formatHex(random);
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    ProcessBuilder builder =
        new ProcessBuilder(command.line(server.getLocalPort()))
            .directory(spec.folder().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log(spec).toFile());
    builder.environment().putAll(command.environment(token));
    Process process = builder.start();
    ChildProcesses.add(process);
    process.getOutputStream().close();
    return new Application(spec, process, server, token);
  }

  /**
   * Waits until the application has executors.
   *
   * @throws CliException if it ends before, or does not come within the limit
   */
  public Reply.Ready awaitReady(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      while (ready == null) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw hangs("did not start", limit);
        }
        if (!process.isAlive()) {
          throw died("while it started");
        }
        ready = accept(Duration.ofNanos(left));
      }
      return ready;
    } catch (SocketTimeoutException e) {
      throw hangs("got no executor that ran a task", limit);
    } catch (IOException e) {
      throw died("while it started");
    }
  }

  /** What it said of itself when it was ready. */
  public Reply.Ready ready() {
    return ready;
  }

  /** The executors that it started on this machine and that live. */
  public List<ProcessHandle> executors() {
    // Those of a local cluster are children of its driver, and it has no others.
    return process.children().filter(ProcessHandle::isAlive).toList();
  }

  /** For tests. */
  ProcessHandle process() {
    return process.toHandle();
  }

  /** Its name. */
  public String name() {
    return spec.name();
  }

  /** The log of its driver. */
  public Path log() {
    return log(spec);
  }

  /**
   * Asks and waits for the answer.
   *
   * @param request what to do
   * @param what for messages, such as {@code q5}
   * @param limit after which the application counts as hanging
   * @param progress gets the progress replies
   * @return the final reply, {@link Reply.Failed} included
   * @throws CliException if the application dies or hangs
   */
  public Reply ask(
      Request request, String what, Duration limit, Consumer<Reply.Progress> progress) {
    long deadline = System.nanoTime() + limit.toNanos();
    try {
      channel.send(LineCodec.line((Record) request));
      while (true) {
        Duration left = Duration.ofNanos(deadline - System.nanoTime());
        if (left.toMillis() <= 0) {
          throw hangs("did not finish " + what, limit);
        }
        Reply reply = LineCodec.reply(channel.receive(left));
        if (reply instanceof Reply.Progress step) {
          progress.accept(step);
        } else {
          return reply;
        }
      }
    } catch (SocketTimeoutException e) {
      throw hangs("did not finish " + what, limit);
    } catch (IOException e) {
      throw died("during " + what);
    }
  }

  /** Ends the application: asked to first, so that it can clean up, then by force. */
  @Override
  public void close() {
    try {
      if (channel != null && process.isAlive()) {
        channel.send(LineCodec.line(new Request.Stop()));
        process.waitFor(TIME_TO_STOP.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (IOException e) {
      // It is gone already, or will be.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      ChildProcesses.end(process);
      closeSockets();
    }
  }

  private void closeSockets() {
    try (server) {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // Nothing is left to be sent.
    }
  }

  /** Null if nobody, or a stranger, called. */
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
    String status = "";
    try {
      if (process.waitFor(2, TimeUnit.SECONDS)) {
        status = " with exit status " + process.exitValue();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    String hint = ChildProcesses.isEnding() ? "" : LogHint.of(log());
    return new CliException(
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

  private CliException hangs(String what, Duration limit) {
    ThreadDumps.write(process, spec.folder());
    return new CliException(
        "The application '"
            + spec.name()
            + "' "
            + what
            + " within "
            + limit.toSeconds()
            + " s and was given up. Its log: "
            + log()
            + ", with the stacks of its threads beside it"
            + LogHint.of(log()));
  }

  private static Path log(ApplicationSpec spec) {
    return spec.folder().resolve("driver.log");
  }

  private static void prepare(Path folder, Path sparkJars) throws IOException {
    Folders.delete(folder);
    Files.createDirectories(folder);
    Files.createSymbolicLink(folder.resolve("jars"), sparkJars);
  }
}
