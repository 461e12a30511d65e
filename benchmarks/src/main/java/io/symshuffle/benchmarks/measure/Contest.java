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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Runs the same work on several applications, one at a time and each round in another order, so
 * that a machine that slows down or speeds up does so for all. After each run the application frees
 * what was shuffled. The rows of every run, warm-ups too, are compared with those of the very
 * first.
 */
public final class Contest {
  private final List<Application> applications;
  private final Path folder;
  private final Duration limit;
  private final Console console;

  /**
   * Prepares a contest.
   *
   * @param applications who takes part, the one to beat first
   * @param folder where rows are written
   * @param limit after which a run counts as hanging
   * @param console where the state is shown
   */
  public Contest(List<Application> applications, Path folder, Duration limit, Console console) {
    this.applications = List.copyOf(applications);
    this.folder = folder;
    this.limit = limit;
    this.console = console;
  }

  /**
   * Runs one piece of work.
   *
   * @param name what it is
   * @param warmUps runs before those that are timed
   * @param rounds timed runs on each application, 1 or more
   * @param request the request for a file that takes the rows
   * @return what came out; a run that failed in Spark is part of it
   * @throws io.symshuffle.plugin.cli.CliException if an application dies or hangs
   */
  public Outcome run(String name, int warmUps, int rounds, Function<Path, Request> request) {
    List<Lane> lanes = applications.stream().map(Lane::new).toList();
    Rows rows = new Rows(folder, name);
    for (int round = 0; round < warmUps + rounds; round++) {
      boolean timed = round >= warmUps;
      String label = timed ? "run " + (round - warmUps + 1) + " of " + rounds : "warm-up";
      for (int i = 0; i < lanes.size(); i++) {
        Lane lane = lanes.get((i + round) % lanes.size());
        if (lane.failure.isEmpty()) {
          console.status(name + ": " + label + ", " + lane.application.name());
          run(lane, name, rows, timed, request);
        }
      }
    }
    console.status("");
    return new Outcome(name, lanes.stream().map(Lane::entry).toList(), rows.difference);
  }

  private void run(
      Lane lane, String name, Rows rows, boolean timed, Function<Path, Request> request) {
    Path file = rows.fileOf(lane.application.name());
    switch (lane.application.ask(request.apply(file), name, limit, progress -> {})) {
      case Reply.Measured measured -> {
        rows.compare(lane.application.name(), file, measured.keyColumns());
        lane.rows = measured.rows();
        if (timed) {
          lane.runs.add(measured);
        }
      }
      case Reply.Failed failed -> lane.failure = failed.message();
      case Reply other -> throw new IllegalStateException("unexpected reply: " + other);
    }
    lane.application.ask(
        new Request.Clean(), "freeing what " + name + " shuffled", limit, progress -> {});
  }

  /** One application's part in one piece of work. */
  private static final class Lane {
    final Application application;
    final List<Reply.Measured> runs = new ArrayList<>();
    long rows;
    String failure = "";

    Lane(Application application) {
      this.application = application;
    }

    Entry entry() {
      if (!failure.isEmpty()) {
        return new Entry(application.name(), List.of(), 0, ShuffleFigures.NONE, failure);
      }
      List<Double> seconds = runs.stream().map(Reply.Measured::seconds).toList();
      double median = Statistics.median(seconds);
      ShuffleFigures figures =
          runs.stream()
              .min(Comparator.comparingDouble(run -> Math.abs(run.seconds() - median)))
              .orElseThrow()
              .figures();
      return new Entry(application.name(), seconds, rows, figures, "");
    }
  }

  /** The rows that came out so far, in files. */
  private static final class Rows {
    private final Path folder;
    private final String name;
    private String firstManager = "";
    private Path first;
    private String difference = "";

    Rows(Path folder, String name) {
      this.folder = folder;
      this.name = name.replaceAll("[^A-Za-z0-9._-]+", "-");
    }

    /** The first manager's first rows keep their file, and so do rows that differ from them. */
    Path fileOf(String manager) {
      boolean kept = manager.equals(firstManager) || !difference.isEmpty();
      return folder.resolve(name + "." + manager + (kept ? ".again" : "") + ".txt");
    }

    void compare(String manager, Path file, List<Integer> keyColumns) {
      try {
        if (first == null) {
          firstManager = manager;
          first = file;
        } else if (difference.isEmpty()) {
          String expectedName = manager.equals(firstManager) ? manager + " before" : firstManager;
          difference = RowsComparison.difference(expectedName, first, manager, file, keyColumns);
        }
        if (difference.isEmpty() && manager.equals(firstManager) && !file.equals(first)) {
          Files.delete(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
