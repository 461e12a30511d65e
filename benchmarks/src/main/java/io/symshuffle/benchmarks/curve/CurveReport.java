// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.curve;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.symshuffle.benchmarks.measure.Statistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports on different numbers of GPUs, combined.
 *
 * @param sources the reports
 * @param curves a curve for each suite or set of jobs
 * @param bandwidths all-to-all exchanges
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
record CurveReport(List<Source> sources, List<Curve> curves, List<Bandwidth> bandwidths) {
  /** Copies the lists. */
  CurveReport {
    sources = List.copyOf(sources);
    curves = List.copyOf(curves);
    bandwidths = List.copyOf(bandwidths);
  }

  /**
   * A report.
   *
   * @param file name of the file
   * @param complete whether the run was not cut off
   * @param command the command that repeats it
   * @param started when it started
   * @param version version of SymShuffle
   */
  record Source(String file, boolean complete, String command, String started, String version) {}

  /**
   * Jobs on different numbers of GPUs.
   *
   * @param title what ran
   * @param managers managers that ran in all reports, baseline first
   * @param jobs jobs that ran with all managers on all numbers of GPUs, which sums are over
   * @param points by number of GPUs, fewest first
   */
  record Curve(String title, List<String> managers, List<String> jobs, List<Point> points) {
    /** Copies the lists. */
    Curve {
      managers = List.copyOf(managers);
      jobs = List.copyOf(jobs);
      points = List.copyOf(points);
    }

    /** How many times as fast a manager is at a point as on the fewest GPUs. */
    double scaling(String manager, Point point) {
      return points.getFirst().seconds(manager, jobs) / point.seconds(manager, jobs);
    }

    /** Sum of the medians of each manager, and ratios, by number of GPUs. */
    @JsonProperty
    List<Map<String, Object>> totals() {
      return points.stream().map(this::total).toList();
    }

    private Map<String, Object> total(Point point) {
      Map<String, Double> seconds = new LinkedHashMap<>();
      Map<String, Double> faster = new LinkedHashMap<>();
      Map<String, Double> geometricMeans = new LinkedHashMap<>();
      Map<String, Double> scalings = new LinkedHashMap<>();
      for (String manager : managers) {
        seconds.put(manager, point.seconds(manager, jobs));
        faster.put(manager, timesFaster(manager, point));
        geometricMeans.put(manager, geometricMean(manager, point));
        scalings.put(manager, scaling(manager, point));
      }
      Map<String, Object> total = new LinkedHashMap<>();
      total.put("gpus", point.gpus());
      total.put("seconds", seconds);
      total.put("timesFaster", faster);
      total.put("geometricMeanTimesFaster", geometricMeans);
      total.put("scaling", scalings);
      return total;
    }

    /** How many times as fast a manager is as the baseline, by their sums. */
    double timesFaster(String manager, Point point) {
      return point.seconds(managers.getFirst(), jobs) / point.seconds(manager, jobs);
    }

    /** The same as the geometric mean over the jobs. */
    double geometricMean(String manager, Point point) {
      return Statistics.geometricMean(
          point.jobs().stream()
              .filter(job -> jobs.contains(job.job()))
              .map(job -> job.median(managers.getFirst()) / job.median(manager))
              .toList());
    }
  }

  /**
   * All jobs on one number of GPUs.
   *
   * @param gpus executors of an application, each of which has a GPU
   * @param jobs the jobs, in the order of the reports
   */
  record Point(int gpus, List<JobTimes> jobs) {
    /** Copies the list. */
    Point {
      jobs = List.copyOf(jobs);
    }

    /** Sum of the medians of these jobs; 0 for none. */
    double seconds(String manager, List<String> of) {
      return jobs.stream()
          .filter(job -> of.contains(job.job()))
          .mapToDouble(job -> job.median(manager))
          .sum();
    }
  }

  /**
   * A job on one number of GPUs.
   *
   * @param job its name
   * @param seconds timed runs of each manager; none if it failed
   * @param exchangeShare of the time of all tasks, what they write map outputs and wait for blocks,
   *     by manager
   * @param problems how rows differ, and why managers failed
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record JobTimes(
      String job,
      Map<String, List<Double>> seconds,
      Map<String, Double> exchangeShare,
      List<String> problems) {
    /** Whether all of these managers have run it. */
    boolean ranWith(List<String> managers) {
      return managers.stream().noneMatch(each -> seconds.getOrDefault(each, List.of()).isEmpty());
    }

    /** Median of the runs. */
    double median(String manager) {
      return Statistics.median(seconds.get(manager));
    }
  }

  /**
   * An all-to-all exchange of the largest size that was measured.
   *
   * @param pes number of PEs
   * @param method its name
   * @param bytes bytes of each PE's data
   * @param busGBps GB/s that leave each PE
   */
  record Bandwidth(int pes, String method, long bytes, double busGBps) {}

  /** Whether no report was cut off, no job failed and all rows were equal. */
  @JsonIgnore
  boolean good() {
    return sources.stream().allMatch(Source::complete)
        && curves.stream()
            .flatMap(curve -> curve.points().stream())
            .flatMap(point -> point.jobs().stream())
            .allMatch(job -> job.problems().isEmpty());
  }
}
