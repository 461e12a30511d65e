// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import io.symshuffle.benchmarks.report.Figures;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;

/**
 * How many times as fast as the baseline a manager is, with the interval of 95 % that the scatter
 * of its runs leaves. The interval says nothing of other jobs or machines.
 *
 * @param value geometric mean over jobs of the ratio of their medians
 * @param half half of the interval of the logarithm of {@code value}; NaN if no job ran twice
 */
public record Gain(double value, double half) {
  /** One end of an interval of 95 %. */
  private static final double QUANTILE = 0.975;

  /** The standard error of a median is this many times that of a mean. */
  private static final double OF_MEDIANS = Math.sqrt(Math.PI / 2);

  /**
   * The seconds of a job with both managers; runs of the same number took turns.
   *
   * @param baseline of the baseline; not empty
   * @param own of the manager; not empty
   */
  public record Runs(List<Double> baseline, List<Double> own) {
    /** Returns by how much the baseline's median is larger, as a logarithm. */
    private double logarithm() {
      return Math.log(Statistics.median(baseline) / Statistics.median(own));
    }

    private double[] logarithms() {
      return IntStream.range(0, Math.min(baseline.size(), own.size()))
          .mapToDouble(i -> Math.log(baseline.get(i) / own.get(i)))
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
    double error = OF_MEDIANS * Math.sqrt(squares / freedom * inverse) / of.size();
    return new Gain(
        Math.exp(of.stream().mapToDouble(Runs::logarithm).average().orElseThrow()),
        freedom == 0
            ? Double.NaN
            : error * new TDistribution(freedom).inverseCumulativeProbability(QUANTILE));
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

  /** The value with its scatter: {@code 1.31 ±6%}; alone if the scatter is unknown. */
  public String text() {
    return ratio(value) + (Double.isNaN(half) ? "" : " ±" + percent() + "%");
  }

  /** The value in a sentence: {@code 1.31 times as fast (95 % interval 1.24 to 1.38)}. */
  public String sentence() {
    return Double.isNaN(half)
        ? ratio(value) + " times as fast in single runs, whose scatter is unknown"
        : isFaster() || isSlower()
            ? ratio(value) + " times as fast (" + interval() + ")"
            : ratio(value) + ", within the scatter of ±" + percent() + " %";
  }

  /** The interval: {@code 95 % interval 1.24 to 1.38}. */
  public String interval() {
    return "95 % interval " + ratio(low()) + " to " + ratio(high());
  }

  private String percent() {
    return String.format(Locale.ROOT, "%.0f", Math.ceil(100 * Math.expm1(half)));
  }

  private static String ratio(double value) {
    return Figures.ratio(OptionalDouble.of(value));
  }
}
