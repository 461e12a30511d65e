// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.Optional;

/**
 * What a comparison measures.
 *
 * @param command the command as users type it, such as {@code bench tpcds}
 * @param title what is compared, for readers, such as {@code TPC-H at scale 10}
 * @param noun what a job is called, such as {@code query}
 * @param scale scale factor of the data; 0 if rows are generated
 * @param hosts number of hosts; 0 without hosts
 * @param rates rates of the hosts' links, each in turn; empty without hosts
 * @param warmUps untimed runs of each job before the timed ones, in each start
 * @param runs timed runs of each job on each manager, in each start of its application
 * @param starts how often the application of each manager starts, one at a time
 * @param note what readers should know of this run; may be empty
 * @param opening a shuffle-bound case that runs before the jobs, in the same applications
 */
public record Plan(
    String command,
    String title,
    String noun,
    double scale,
    int hosts,
    List<String> rates,
    int warmUps,
    int runs,
    int starts,
    String note,
    @JsonIgnore Optional<Job> opening,
    @JsonIgnore List<Job> jobs) {
  public Plan {
    rates = List.copyOf(rates);
    jobs = List.copyOf(jobs);
  }

  /** Whether the jobs are shuffle-bound cases, which also run without their exchange. */
  @JsonIgnore
  boolean isOfCases() {
    return jobs.stream().anyMatch(job -> job.base().isPresent());
  }

  /**
   * Returns the index of the manager whose application starts as number {@code application}, from
   * 0. What starts first in one turn starts last in the next.
   */
  static int managerOf(int application, int managers) {
    return (application % managers + application / managers) % managers;
  }

  /** Whether executors are killed in some jobs. */
  @JsonIgnore
  boolean kills() {
    return jobs.stream().anyMatch(Job::kill);
  }

  /** How the files of this command are called: its last word. */
  @JsonIgnore
  String fileName() {
    return command.substring(command.lastIndexOf(' ') + 1);
  }

  /** A number of jobs in words. */
  String count(int number) {
    return count(number, noun);
  }

  String countOfWarmUps() {
    return count(warmUps, "warm-up");
  }

  private static String count(int number, String noun) {
    String plural = noun.endsWith("y") ? noun.substring(0, noun.length() - 1) + "ies" : noun + "s";
    return number + " " + (number == 1 ? noun : plural);
  }
}
