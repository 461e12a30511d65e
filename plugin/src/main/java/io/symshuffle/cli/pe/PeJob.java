// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

import io.symshuffle.cli.CliException;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.process.ChildProcess;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Several processes with the Java and the class path of this one, one per PE. None outlives the
 * job: when a PE fails or hangs, or this process is terminated, all of them are killed.
 */
public final class PeJob {
  private static final int MAX_LINES_SHOWN = 25;
  private static final long MAX_MARGIN_SECONDS = 15;

  /** After this time a line on standard error says that the job is running. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private final Class<?> main;
  private final Backend backend;
  private final int peCount;
  private final List<String> more;

  /**
   * @param main the class whose main method is a PE
   * @param more further arguments of all PEs
   */
  public PeJob(Class<?> main, Backend backend, int peCount, List<String> more) {
    this.main = main;
    this.backend = backend;
    this.peCount = peCount;
    this.more = List.copyOf(more);
  }

  /**
   * Runs the job.
   *
   * @param limit how long it may run
   * @param reports receives what PEs report, as it arrives
   * @throws CliException if a PE fails or the job runs out of time; the message includes the last
   *     lines of the PEs' output
   */
  public void run(Duration limit, Consumer<PeLine> reports) {
    run(limit, SILENCE, reports);
  }

  /** As {@link #run(Duration, Consumer)}, with another time until it says that it waits. */
  void run(Duration limit, Duration silence, Consumer<PeLine> reports) {
    BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    try (Processes processes = new Processes()) {
      processes.start(PeGpu.limitIn(limit), events);
      follow(processes.pes, events, limit, silence, reports);
    } catch (IOException | UncheckedIOException e) {
      throw new CliException("The PEs cannot be started: " + e.getMessage() + ".", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException("Interrupted.", e);
    }
  }

  /**
   * Returns a limit for a process that another one with this limit starts: it ends first, and the
   * other one can still report what it said.
   *
   * @param limit of the other process
   */
  public static Duration innerLimit(Duration limit) {
    long seconds = limit.toSeconds();
    return Duration.ofSeconds(Math.max(1, seconds - Math.min(MAX_MARGIN_SECONDS, seconds / 4)));
  }

  /** Returns /dev/shm, or the folder of temporary files where it cannot be written to. */
  public static Path sharedMemory() {
    Path shared = Path.of("/dev/shm");
    return Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
  }

  private ChildProcess start(PeArguments arguments, Duration peLimit, BlockingQueue<Event> events) {
    int pe = arguments.pe();
    return ChildProcess.java(
            List.of("-Xmx1g", "-XX:+UseSerialGC", PeGpu.limitOption(peLimit)),
            main.getName(),
            arguments.toList())
        .input("")
        .onLine(
            line -> {
              if (PeLine.is(line)) {
                events.add(new Event(pe, PeLine.parse(pe, line), 0));
              }
            })
        .onExit(status -> events.add(new Event(pe, null, status)))
        .start();
  }

  private void follow(
      List<ChildProcess> pes,
      BlockingQueue<Event> events,
      Duration limit,
      Duration silence,
      Consumer<PeLine> reports)
      throws InterruptedException {
    long start = System.nanoTime();
    long deadline = start + limit.toNanos();
    boolean said = silence.compareTo(limit) >= 0;
    for (int ended = 0; ended < peCount; ) {
      long until = said ? deadline : start + silence.toNanos();
      Event event = events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (event == null && !said) {
        said = true;
        System.err.printf(
            "symshuffle: Waiting for %d of %d PEs: %d s so far, at most %d s.%n",
            peCount - ended, peCount, silence.toSeconds(), limit.toSeconds());
        continue;
      }
      if (event == null) {
        throw CliException.problem(
            "The PEs did not finish within %d s and were killed.%n%s"
                .formatted(limit.toSeconds(), output(pes)));
      }
      if (event.line != null && event.line.kind().equals(PeMain.FAILED)) {
        throw CliException.problem(
            "PE %d: %s.%n%s".formatted(event.pe, event.line.values().getFirst(), output(pes)));
      } else if (event.line != null) {
        reports.accept(event.line);
      } else if (event.exit == 0) {
        ended++;
      } else {
        throw CliException.problem(
            "PE %d ended with status %d.%n%s".formatted(event.pe, event.exit, output(pes)));
      }
    }
  }

  private static String output(List<ChildProcess> pes) {
    StringBuilder text = new StringBuilder("Last lines of their output:");
    for (int pe = 0; pe < pes.size(); pe++) {
      List<String> lines = pes.get(pe).output().lines().filter(line -> !PeLine.is(line)).toList();
      for (String line : lines.subList(Math.max(0, lines.size() - MAX_LINES_SHOWN), lines.size())) {
        text.append("%n  PE %d: %s".formatted(pe, line));
      }
    }
    return text.toString();
  }

  private static void delete(Path folder) {
    if (folder == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      System.err.println("symshuffle: Cannot delete " + folder + ": " + e.getMessage());
    }
  }

  /** The processes and their folder; closing this or the end of this process removes them. */
  private final class Processes implements AutoCloseable {
    private final TerminationHook hook = new TerminationHook(this::end);
    private final List<ChildProcess> pes = new ArrayList<>();
    private Path folder;
    private boolean ended;

    private synchronized void start(Duration peLimit, BlockingQueue<Event> events)
        throws IOException, InterruptedException {
      if (ended) {
        throw new InterruptedException();
      }
      folder = Files.createTempDirectory(sharedMemory(), "symshuffle-job");
      String token = FolderToken.random().hex();
      for (int pe = 0; pe < peCount; pe++) {
        PeArguments arguments = new PeArguments(backend, pe, peCount, folder, token, more);
        pes.add(PeJob.this.start(arguments, peLimit, events));
      }
    }

    private synchronized void end() {
      if (ended) {
        return;
      }
      ended = true;
      ChildProcess.closeAll(pes);
      delete(folder);
    }

    @Override
    public void close() {
      end();
      hook.close();
    }
  }

  /** A report, or the end of a process if {@code line} is null. */
  private record Event(int pe, PeLine line, int exit) {}
}
