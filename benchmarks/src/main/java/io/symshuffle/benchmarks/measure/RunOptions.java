// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.benchmarks.report.ReportFile;
import io.symshuffle.cli.CliException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of all comparisons: how often work runs, and where its results go. */
public final class RunOptions {
  private static final int MAX_RUNS = 1000;
  private static final int MAX_MINUTES = 10_000;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Timed runs of each query or job on each manager; default ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      description = "Untimed runs before the timed ones; default ${DEFAULT-VALUE}.")
  private int warmUps;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "File for the JSON report; default: in the folder of --out.")
  private Path json;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Folder for reports, rows and logs, where those of an earlier run are replaced: reports,"
              + " text files in rows, and folders of the same names in applications. Other files"
              + " stay. Default: below benchmarks/target.")
  private Path out;

  @Option(
      names = "--note",
      paramLabel = "TEXT",
      description = "A note for readers of the report, such as that the machine was busy.")
  private String note = "";

  private final String folder;

  /**
   * @param folder the default of {@code --out} in benchmarks/target
   * @param runs default number of timed runs
   * @param warmUps default number of untimed runs
   */
  public RunOptions(String folder, int runs, int warmUps) {
    this.folder = folder;
    this.runs = runs;
    this.warmUps = warmUps;
  }

  /**
   * Checks the values before anything is started.
   *
   * @throws CliException if a value is invalid
   */
  public void check() {
    if (runs < 1 || runs > MAX_RUNS) {
      throw CliException.wrongUsage(
          "--runs is %d; it must be from 1 to %d.".formatted(runs, MAX_RUNS));
    }
    if (warmUps > MAX_RUNS) {
      throw CliException.wrongUsage(
          "--warm-ups is %d; it must be from 0 to %d.".formatted(warmUps, MAX_RUNS));
    }
    ReportFile.check(json);
  }

  /**
   * Checks the duration of a soak.
   *
   * @throws CliException if it is not above 0, or too long
   */
  public static void checkMinutes(double minutes) {
    if (!(minutes > 0 && minutes <= MAX_MINUTES)) {
      throw CliException.wrongUsage(
          "--minutes is %s; it must be above 0 and at most %d.".formatted(minutes, MAX_MINUTES));
    }
  }

  /** Returns the number of timed runs. */
  public int runs() {
    return runs;
  }

  /** Returns the number of untimed runs. */
  public int warmUps() {
    return warmUps;
  }

  /** Returns the file for the JSON report, if the user names one. */
  public Optional<Path> json() {
    return Optional.ofNullable(json);
  }

  /** Returns the absolute path of the folder for everything else. */
  public Path out() {
    Path chosen = out != null ? out : SparkRuntime.home().resolve("benchmarks/target/" + folder);
    return chosen.toAbsolutePath();
  }

  /** Returns the note; may be empty. */
  public String note() {
    return note;
  }
}
