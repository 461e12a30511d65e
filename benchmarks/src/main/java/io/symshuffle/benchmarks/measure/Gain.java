// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.report.Figures;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;

/**
 * How many times as fast as the baseline a manager is, with the interval of 95 % that the scatter
 * of its runs leaves. The interval says nothing of other jobs or machines.
 *
 * @param value geometric mean over jobs of the ratio of their medians
 * @param half half of the interval of the logarithm of {@code value}; NaN if no job ran twice, and
 *     infinite if a run took no time at all, as far as it can be measured
 */
public record Gain(double value, double half) {
  /** One end of an interval of 95 %. */
  private static final double QUANTILE = 0.975;

  /** An interval that reaches from a half to the double, or further, says nothing if it has 1. */
  private static final double WIDE = Math.log(2);

  /** An interval as wide as this, from a fifth to five times, says nothing in any case. */
  private static final double TOO_WIDE = Math.log(5);

  /** Printed instead of a value whose interval is too wide. */
  private static final String UNCLEAR = "unclear";

  /**
   * The seconds of a job with both managers, whose applications took turns.
   *
   * @param baseline of the baseline; not empty
   * @param own of the manager; not empty
   * @param perStart runs of each start of an application
   */
  public record Runs(List<Double> baseline, List<Double> own, int perStart) {
    /** Returns by how much the baseline's median is larger, as a logarithm. */
    private double logarithm() {
      return logarithm(baseline, own);
    }

    private static double logarithm(List<Double> baseline, List<Double> own) {
      return Math.log(Statistics.median(baseline) / Statistics.median(own));
    }

    /**
     * Returns the ratios of starts, since the runs of a start have in common how fast the machine
     * was, and what the JVMs did; of runs if each application started once.
     */
    private double[] logarithms() {
      int runs = Math.min(baseline.size(), own.size());
      int size = runs > perStart ? perStart : 1;
      return IntStream.range(0, runs / size)
          .map(start -> start * size)
          .mapToDouble(at -> logarithm(baseline.subList(at, at + size), own.subList(at, at + size)))
          .toArray();
    }
  }

  /**
   * Returns the gain of one or more jobs.
   *
   * @param of the jobs; at least one
   * @param alike jobs whose ratios scatter alike, {@code of} among them: all of their runs tell how
   *     much
   */
  public static Gain of(List<Runs> of, List<Runs> alike) {
    double squares = 0;
    int freedom = 0;
    for (Runs runs : alike) {
      double[] logarithms = runs.logarithms();
      squares += (logarithms.length - 1) * StatUtils.variance(logarithms);
      freedom += logarithms.length - 1;
    }
    double inverse = of.stream().mapToDouble(runs -> 1.0 / runs.logarithms().length).sum();
    double independent = squares / freedom * inverse / of.size() / of.size();
    double error = Statistics.OF_MEDIANS * Math.sqrt(Math.max(independent, common(of)));
    return new Gain(
        Math.exp(of.stream().mapToDouble(Runs::logarithm).average().orElseThrow()),
        freedom == 0
            ? Double.NaN
            : Double.isFinite(error)
                ? error * new TDistribution(freedom).inverseCumulativeProbability(QUANTILE)
                : Double.POSITIVE_INFINITY);
  }

  /**
   * Returns the variance of the mean of several jobs as far as all of them are faster or slower in
   * the same turn, because of what else the machine does then; 0 for one job or one turn.
   */
  private static double common(List<Runs> of) {
    int turns = of.stream().mapToInt(runs -> runs.logarithms().length).min().orElseThrow();
    double[] means =
        IntStream.range(0, turns)
            .mapToDouble(
                turn ->
                    of.stream()
                        .mapToDouble(runs -> runs.logarithms()[turn])
                        .average()
                        .orElseThrow())
            .toArray();
    return of.size() == 1 || turns == 1 ? 0 : StatUtils.variance(means) / turns;
  }

  /** Returns how many times this gain is the other one. */
  public Gain over(Gain other) {
    return new Gain(value / other.value, Math.hypot(half, other.half));
  }

  /** Returns the lower end of the interval; NaN if it is unknown. */
  public double low() {
    return value * Math.exp(-half);
  }

  /** Returns the upper end of the interval; NaN if it is unknown. */
  public double high() {
    return value * Math.exp(half);
  }

  /** Returns whether the manager is faster beyond the scatter. */
  public boolean isFaster() {
    return low() > 1;
  }

  /** Returns whether the manager is slower beyond the scatter. */
  public boolean isSlower() {
    return high() < 1;
  }

  /** Returns whether the runs scatter so much that the value says nothing. */
  public boolean isUnclear() {
    return half >= TOO_WIDE || (half >= WIDE && !isFaster() && !isSlower());
  }

  /** {@code good} if it is faster beyond the scatter, {@code bad} if it is slower, or empty. */
  public String style() {
    return isUnclear() ? "" : isFaster() ? "good" : isSlower() ? "bad" : "";
  }

  /**
   * The value with its scatter: {@code 1.31 ±6%}; alone if the scatter is unknown, and {@code
   * unclear} if it is too large.
   */
  public String text() {
    return isUnclear()
        ? UNCLEAR
        : Figures.ratio(value) + (Double.isNaN(half) ? "" : " ±" + percent() + "%");
  }

  /** The value in a sentence: {@code 1.31 times as fast (95 % interval 1.24 to 1.38)}. */
  public String sentence() {
    if (isUnclear()) {
      return "unclear, because the runs scatter too much";
    }
    return Double.isNaN(half)
        ? Figures.ratio(value) + " times as fast in single runs, whose scatter is unknown"
        : isFaster() || isSlower()
            ? Figures.ratio(value) + " times as fast (" + interval() + ")"
            : Figures.ratio(value) + ", within the scatter of ±" + percent() + " %";
  }

  /** The interval: {@code 95 % interval 1.24 to 1.38}. */
  public String interval() {
    return "95 % interval " + Figures.ratio(low()) + " to " + Figures.ratio(high());
  }

  private String percent() {
    return String.format(Locale.ROOT, "%.0f", Math.ceil(100 * Math.expm1(half)));
  }
}
