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
  private static final long MAX_PE_LIMIT_SECONDS = 60;
  private static final String PE_LIMIT_PROPERTY = "symshuffle.pe.limit.seconds";

  /**
   * How long a PE waits for others, in the process of the PE. It ends before the job's limit, so
   * that a PE can say why.
   */
  public static final Duration PE_LIMIT =
      Duration.ofSeconds(Long.getLong(PE_LIMIT_PROPERTY, MAX_PE_LIMIT_SECONDS));

  /** Kind of the report of a failure. */
  private static final String FAILED = "failed";

  private static final int MAX_LINES_SHOWN = 25;
  private static final long MAX_MARGIN_SECONDS = 15;

  /** After this time a line on standard error says that the job is running. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  /**
   * The arguments of a PE's process.
   *
   * @param folder a private folder that the PEs of the job share
   * @param token the heap folder's token, in hexadecimal
   * @param more further arguments, specific to the job
   */
  public record Arguments(
      Backend backend, int pe, int peCount, Path folder, String token, List<String> more) {
    public Arguments {
      more = List.copyOf(more);
    }

    private static Arguments parse(String[] arguments) {
      return new Arguments(
          Backend.valueOf(arguments[0]),
          Integer.parseInt(arguments[1]),
          Integer.parseInt(arguments[2]),
          Path.of(arguments[3]),
          arguments[4],
          List.of(arguments).subList(5, arguments.length));
    }

    private List<String> toList() {
      List<String> list = new ArrayList<>();
      List.of(backend, pe, peCount, folder, token).forEach(each -> list.add(each.toString()));
      list.addAll(more);
      return list;
    }
  }

  /** The work of a PE. */
  @FunctionalInterface
  public interface Body {
    /**
     * Does the work.
     *
     * @throws Exception if it fails
     */
    void run(Arguments job) throws Exception;
  }

  private final Class<?> main;
  private final Backend backend;
  private final int peCount;
  private final Path base;
  private final List<String> more;

  /**
   * @param main the class whose main method is a PE, see {@link #runPe}
   * @param base where the folder that the PEs share is created
   * @param more further arguments of all PEs
   */
  public PeJob(Class<?> main, Backend backend, int peCount, Path base, List<String> more) {
    this.main = main;
    this.backend = backend;
    this.peCount = peCount;
    this.base = base;
    this.more = List.copyOf(more);
  }

  /**
   * Runs a PE in its process, and then ends the process, even if threads of libraries are still
   * running. A failure is reported to the job as one sentence.
   *
   * @param arguments those of the main method
   */
  public static void runPe(String[] arguments, Body body) {
    int status = 0;
    try {
      body.run(Arguments.parse(arguments));
    } catch (Exception | Error e) {
      e.printStackTrace();
      PeLine.print(FAILED, e.getMessage() == null ? e : e.getMessage());
      status = 1;
    }
    System.exit(status);
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
      processes.start(peLimit(limit), events);
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

  /** Returns the limit of the PEs of a job with this limit. */
  static Duration peLimit(Duration jobLimit) {
    return Duration.ofSeconds(Math.min(MAX_PE_LIMIT_SECONDS, innerLimit(jobLimit).toSeconds()));
  }

  /** Returns /dev/shm, or the folder of temporary files where it cannot be written to. */
  public static Path sharedMemory() {
    Path shared = Path.of("/dev/shm");
    return Files.isWritable(shared) ? shared : Path.of(System.getProperty("java.io.tmpdir"));
  }

  private ChildProcess start(Arguments arguments, Duration peLimit, BlockingQueue<Event> events) {
    int pe = arguments.pe();
    return ChildProcess.java(
            List.of(
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-D%s=%d".formatted(PE_LIMIT_PROPERTY, peLimit.toSeconds())),
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
      if (event.line != null && event.line.kind().equals(FAILED)) {
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
      folder = Files.createTempDirectory(base, "symshuffle-job");
      String token = FolderToken.random().hex();
      for (int pe = 0; pe < peCount; pe++) {
        Arguments arguments = new Arguments(backend, pe, peCount, folder, token, more);
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
