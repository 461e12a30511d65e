// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.report.Figures;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.special.Beta;
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

  /** How often one of several jobs that scatter alike may seem to be an outlier. */
  private static final double ALPHA = 0.05;

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
   * Returns the gain of one or more jobs. The scatter of their ratios is the pooled variance of all
   * jobs that scatter alike. Jobs that scatter more than these beyond chance tell nothing of the
   * others, nor the others of them: the interval of each of them comes from its own runs alone. So
   * does that of several jobs if one of them is among them, since their mean contains its runs.
   *
   * @param of the jobs; at least one
   * @param alike jobs whose ratios scatter alike, {@code of} among them
   */
  public static Gain of(List<Runs> of, List<Runs> alike) {
    Scatter scatter = scatter(of, alike);
    double inverse = of.stream().mapToDouble(runs -> 1.0 / runs.logarithms().length).sum();
    double independent = scatter.variance() * inverse / of.size() / of.size();
    double error = Statistics.OF_MEDIANS * Math.sqrt(Math.max(independent, common(of)));
    return new Gain(
        Math.exp(of.stream().mapToDouble(Runs::logarithm).average().orElseThrow()),
        scatter.freedom == 0
            ? Double.NaN
            : Double.isFinite(error)
                ? error * new TDistribution(scatter.freedom).inverseCumulativeProbability(QUANTILE)
                : Double.POSITIVE_INFINITY);
  }

  /**
   * Returns how much the ratios of jobs scatter: as those of all that scatter alike, except
   * outliers, unless one of them is an outlier. At most half of {@code alike} are outliers, and the
   * smaller half is tested against first, so that several outliers do not hide each other.
   */
  private static Scatter scatter(List<Runs> of, List<Runs> alike) {
    List<Scatter> sorted =
        alike.stream()
            .map(Scatter::of)
            .sorted(Comparator.comparingDouble(Scatter::variance))
            .toList();
    Scatter typical = Scatter.NONE;
    double outlier = Double.NaN;
    for (int i = 0; i < sorted.size() && Double.isNaN(outlier); i++) {
      Scatter next = sorted.get(i);
      if (2 * i >= sorted.size() && next.exceeds(typical, i)) {
        outlier = next.variance();
      } else {
        typical = typical.plus(next);
      }
    }
    double least = outlier;
    List<Scatter> own = of.stream().map(Scatter::of).toList();
    return own.stream().anyMatch(scatter -> scatter.variance() >= least)
        ? own.stream().reduce(Scatter.NONE, Scatter::plus)
        : typical;
  }

  /**
   * How much the ratios of a job scatter, or those of several jobs around the mean of each.
   *
   * @param squares sum of the squared distances of the logarithms from the mean of their job
   * @param freedom degrees of freedom; 0 if no job ran twice
   */
  private record Scatter(double squares, int freedom) {
    static final Scatter NONE = new Scatter(0, 0);

    static Scatter of(Runs runs) {
      double[] logarithms = runs.logarithms();
      int freedom = logarithms.length - 1;
      double squares = freedom * StatUtils.variance(logarithms);
      // A run that took no time at all scatters without limit.
      return new Scatter(Double.isNaN(squares) ? Double.POSITIVE_INFINITY : squares, freedom);
    }

    Scatter plus(Scatter other) {
      return new Scatter(squares + other.squares, freedom + other.freedom);
    }

    double variance() {
      return freedom == 0 ? 0 : squares / freedom;
    }

    /**
     * Returns whether this largest scatter of several jobs exceeds that of the others beyond chance
     * ({@link #ALPHA}), by the test of Cochran ("The distribution of the largest of a set of
     * estimated variances as a fraction of their total", Annals of Eugenics 11, 1941), with which
     * ISO 5725-2 finds outlying laboratories: the share of one job in the sum of squares has a beta
     * distribution, and each of the jobs could have had the largest.
     *
     * @param others the scatter of all others
     * @param number how many they are
     */
    boolean exceeds(Scatter others, int number) {
      double chance =
          Beta.regularizedBeta(
              others.squares / (squares + others.squares), others.freedom / 2.0, freedom / 2.0);
      return chance < ALPHA / (number + 1);
    }
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
