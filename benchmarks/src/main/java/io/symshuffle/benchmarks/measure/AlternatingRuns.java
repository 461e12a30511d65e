// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import io.symshuffle.benchmarks.report.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs the same work on several applications in turn and in a different order each round, so that
 * changes in the speed of the machine affect all of them. After each run, the application removes
 * its shuffles. The rows of every run, including warm-ups, are compared with those of the first. If
 * a limit cuts through rows that tie in the query's order, runs may differ in those rows: each
 * application that runs then repeats the work without the limit, those results are compared, and
 * every row of the runs is looked up in them.
 */
public final class AlternatingRuns {
  /** Suffix of a second file with the same rows. */
  private static final String OTHER = ".other";

  private final List<String> managers;
  private final Path folder;
  private final Duration limit;
  private final Console console;

  /** Measures more than the applications do. */
  @FunctionalInterface
  public interface Observer {
    /** Measures nothing. */
    Observer NONE = (manager, timed, run) -> run.get();

    /**
     * Performs a run and measures it.
     *
     * @param timed false for warm-ups
     */
    Reply observe(String manager, boolean timed, Supplier<Reply> run);
  }

  /**
   * Creates the folder for rows, and deletes the rows of an earlier run from it. Other files stay,
   * since users choose the folder.
   *
   * @throws IOException if it cannot be created, or a file cannot be deleted
   */
  public static Path rowsFolder(Path out) throws IOException {
    Path folder = Files.createDirectories(out.resolve("rows"));
    try (DirectoryStream<Path> earlier =
        Files.newDirectoryStream(folder, file -> isRows(file) && Files.isRegularFile(file))) {
      for (Path file : earlier) {
        Files.delete(file);
      }
    }
    return folder;
  }

  private static boolean isRows(Path file) {
    String name = file.toString();
    return name.endsWith(".txt") || name.endsWith(".txt" + OTHER);
  }

  /**
   * @param managers names of the applications, baseline first
   * @param folder for files with rows
   */
  public AlternatingRuns(List<String> managers, Path folder, Duration limit, Console console) {
    this.managers = List.copyOf(managers);
    this.folder = folder;
    this.limit = limit;
    this.console = console;
  }

  /**
   * Prepares work whose rounds the caller starts.
   *
   * @param warmUps untimed runs before the timed ones
   * @param timed timed runs on each application between its start and its end; 0 if the caller
   *     decides later, at least 1
   * @param request creates the request, given the file for the rows
   * @param unlimited for work that ends with a LIMIT, creates the request without it
   */
  public Rounds rounds(
      String name,
      int warmUps,
      int timed,
      Function<Path, Request> request,
      Optional<Function<Path, Request>> unlimited) {
    return new Rounds(name, warmUps, timed, request, unlimited);
  }

  /** The rounds of one piece of work: each runs it once on all applications that run then. */
  public final class Rounds {
    private final String name;
    private final int warmUps;
    private final int timed;
    private final Function<Path, Request> request;
    private final List<Lane> lanes;
    private final RunResults results;
    private List<Application> running = List.of();

    private Rounds(
        String name,
        int warmUps,
        int timed,
        Function<Path, Request> request,
        Optional<Function<Path, Request>> unlimited) {
      this.name = name;
      this.warmUps = warmUps;
      this.timed = timed;
      this.request = request;
      this.lanes = managers.stream().map(Lane::new).toList();
      this.results =
          new RunResults(
              folder,
              name,
              unlimited.map(whole -> file -> compareUnlimited(running, name, whole, file)));
    }

    /** Runs all rounds between the start and the end of applications. */
    public void all(List<Application> applications, Observer observer) {
      for (int round = 0; round < warmUps + timed; round++) {
        run(round, applications, observer);
      }
    }

    /**
     * Runs a round.
     *
     * @param round its number since the start of the applications, from 0; warm-ups come first
     * @param applications the applications that run now
     * @throws io.symshuffle.cli.CliException if an application dies or exceeds the limit
     */
    public void run(int round, List<Application> applications, Observer observer) {
      running = List.copyOf(applications);
      boolean isTimed = round >= warmUps;
      String label =
          !isTimed
              ? "warm-up"
              : "run " + (round - warmUps + 1) + (timed == 0 ? "" : " of " + timed);
      for (Application application : Turns.order(running, round)) {
        Lane lane = lane(application.name());
        if (lane.failure.isEmpty()) {
          console.status(name + ": " + label + ", " + application.name());
          run(application, lane, isTimed, observer);
        }
      }
      console.status("");
    }

    private Lane lane(String manager) {
      return lanes.stream().filter(lane -> lane.manager.equals(manager)).findFirst().orElseThrow();
    }

    private void run(Application application, Lane lane, boolean isTimed, Observer observer) {
      Path file = results.fileOf(lane.manager);
      Request work = request.apply(file);
      switch (observer.observe(
          lane.manager, isTimed, () -> application.ask(work, name, limit, progress -> {}))) {
        case Reply.Measured measured -> {
          results.compare(lane.manager, file, measured.columns());
          lane.rows = measured.rows();
          if (isTimed) {
            lane.runs.add(measured);
          }
        }
        case Reply.Failed failed -> lane.failure = failed.message();
        case Reply other -> throw new IllegalStateException("unexpected reply: " + other);
      }
      clean(application, name);
    }

    /** Returns the outcome of all rounds so far, including runs that failed in Spark. */
    public Outcome outcome() {
      return new Outcome(
          name, lanes.stream().map(Lane::entry).toList(), results.difference(), results.tied());
    }
  }

  private void clean(Application application, String name) {
    application.ask(new Request.Clean(), "removing the shuffles of " + name, limit, progress -> {});
  }

  /** Runs the work without its limit and describes how results differ; keeps the first result. */
  private String compareUnlimited(
      List<Application> applications, String name, Function<Path, Request> request, Path first) {
    String difference = "";
    for (Application application : applications) {
      console.status(name + ": without its limit, " + application.name());
      boolean isFirst = application == applications.getFirst();
      Path file = isFirst ? first : first.resolveSibling(first.getFileName() + OTHER);
      Reply reply = application.ask(request.apply(file), name, limit, progress -> {});
      difference =
          switch (reply) {
            case Reply.Measured unused when isFirst -> "";
            case Reply.Measured measured -> {
              try {
                String found =
                    RowsComparison.difference(
                        applications.getFirst().name(),
                        first,
                        application.name(),
                        file,
                        measured.columns());
                if (found.isEmpty()) {
                  Files.delete(file);
                }
                yield found;
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
            case Reply.Failed failed -> application.name() + " failed: " + failed.message();
            case Reply other -> throw new IllegalStateException("unexpected reply: " + other);
          };
      clean(application, name);
      if (!difference.isEmpty()) {
        return "without its limit: " + difference;
      }
    }
    return difference;
  }

  private static final class Lane {
    final String manager;
    final List<Reply.Measured> runs = new ArrayList<>();
    long rows;
    String failure = "";

    Lane(String manager) {
      this.manager = manager;
    }

    Entry entry() {
      if (!failure.isEmpty() || runs.isEmpty()) {
        return new Entry(manager, List.of(), 0, ShuffleFigures.NONE, failure);
      }
      List<Double> seconds = runs.stream().map(Reply.Measured::seconds).toList();
      double median = Statistics.median(seconds);
      ShuffleFigures figures =
          runs.stream()
              .min(Comparator.comparingDouble(run -> Math.abs(run.seconds() - median)))
              .orElseThrow()
              .figures();
      return new Entry(manager, seconds, rows, figures, "");
    }
  }
}
