// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.launch.SparkRuntime;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.JsonOutput;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of all comparisons: how often work runs, and where its results go. */
public final class RunOptions {
  private static final int MAX_RUNS = 1000;

  @Option(
      names = "--starts",
      paramLabel = "N",
      description =
          "How often the application of each manager starts, in turn, since they run one at a time;"
              + " default ${DEFAULT-VALUE}.")
  private int starts;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Timed runs of each query or job in each start; default ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      description = "Untimed runs before the timed ones in each start; default ${DEFAULT-VALUE}.")
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
   * @param starts default number of starts of each application
   * @param runs default number of timed runs in each
   * @param warmUps default number of untimed runs in each
   */
  public RunOptions(String folder, int starts, int runs, int warmUps) {
    this.folder = folder;
    this.starts = starts;
    this.runs = runs;
    this.warmUps = warmUps;
  }

  /**
   * Checks the values before anything is started.
   *
   * @throws CliException if a value is invalid
   */
  public void check() {
    CliException.checkRange("--starts", starts, 1, 100);
    CliException.checkRange("--runs", runs, 1, MAX_RUNS);
    CliException.checkRange("--warm-ups", warmUps, 0, MAX_RUNS);
    JsonOutput.check(json);
  }

  /** Changes how often work runs, for what the command chooses itself. */
  public void choose(int someStarts, int someRuns) {
    starts = someStarts;
    runs = someRuns;
  }

  /** Returns how often each application starts. */
  public int starts() {
    return starts;
  }

  /** Returns the number of timed runs in each start. */
  public int runs() {
    return runs;
  }

  /** Returns the number of untimed runs in each start. */
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
