// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.measure.Gain.Runs;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GainTest {
  @Test
  void gainOfJobsIsTheGeometricMeanOfTheRatiosOfTheirMedians() {
    Runs twice = runs(List.of(2.0, 9.0, 2.0), List.of(1.0, 1.0, 7.0));
    Runs half = runs(List.of(1.0), List.of(2.0));
    assertAll(
        () -> assertEquals(2, gain(twice).value(), 1e-12),
        () -> assertEquals(0.5, gain(half).value(), 1e-12),
        () -> assertEquals(1, gain(twice, half).value(), 1e-12));
  }

  @Test
  void oneRunHasNoInterval() {
    Gain gain = gain(runs(List.of(3.0), List.of(1.0)));
    assertAll(
        () -> assertTrue(Double.isNaN(gain.low())),
        () -> assertFalse(gain.isFaster()),
        () -> assertEquals("3.00", gain.text()));
  }

  /** Logarithms 0.1, 0 and -0.1: a deviation of 0.1, and 4.303 for 2 degrees of freedom. */
  @Test
  void intervalIsThatOfStudentsDistributionForMedians() {
    Runs runs = runs(List.of(Math.exp(0.1), 1.0, Math.exp(-0.1)), List.of(1.0, 1.0, 1.0));
    double half = 4.3027 * 0.1 / Math.sqrt(3) * Math.sqrt(Math.PI / 2);
    assertAll(
        () -> assertEquals(half, gain(runs).half(), 1e-4),
        () -> assertEquals("1.00 ±37%", gain(runs).text()),
        () ->
            assertTrue(
                Gain.of(List.of(runs), List.of(runs, runs, runs)).half() < half,
                "jobs that scatter alike tell more"));
  }

  /** Changes in the speed of the machine affect both runs of a turn. */
  @Test
  void onlyTheScatterOfRatiosCounts() {
    Gain gain = gain(runs(List.of(2.0, 4.0, 8.0), List.of(1.0, 2.0, 4.0)));
    assertEquals(0, gain.half(), 1e-12);
    assertTrue(gain.isFaster());
  }

  @Test
  void costBelowZeroClaimsNothing() {
    Gain gain = gain(runs(List.of(2.0, 2.0, 2.0), List.of(-0.1, 0.2, 0.3)));
    assertAll(
        () -> assertFalse(gain.isFaster()),
        () -> assertFalse(gain.isSlower()),
        () -> assertEquals("unclear", gain.text()),
        () -> assertEquals("unclear, because the runs scatter too much", gain.sentence()));
  }

  @Test
  void valueWhoseIntervalSaysNothingIsNotPrinted() {
    assertAll(
        () -> assertEquals("unclear", new Gain(12.01, 4).text()),
        () -> assertEquals("unclear", new Gain(1.2, Math.log(2.01)).text(), "a half to twice"),
        () -> assertEquals("1.20 ±99%", new Gain(1.2, Math.log(1.985)).text()),
        () -> assertEquals("12.01 ±300%", new Gain(12.01, Math.log(4)).text(), "at least 3 times"),
        () -> assertEquals("", new Gain(12.01, 2).style(), "beyond the scatter, and useless"));
  }

  @Test
  void comparisonOfTwoGainsHasTheScatterOfBoth() {
    Gain ratio = new Gain(1.5, 0.03).over(new Gain(1.2, 0.04));
    assertEquals(1.25, ratio.value(), 1e-12);
    assertEquals(0.05, ratio.half(), 1e-12);
  }

  /** Of 1,000 groups of jobs that take equally long, some 5 % may seem faster or slower. */
  @Test
  void intervalsOfEqualManagersRarelyExcludeOne() {
    Random random = new Random(5);
    long outside =
        IntStream.range(0, 1000)
            .mapToObj(i -> gain(noise(random), noise(random), noise(random)))
            .filter(gain -> gain.isFaster() || gain.isSlower())
            .count();
    assertTrue(outside <= 60, outside + " of 1000");
  }

  /** One job scatters 20 times as much as 4 others with two runs each. */
  @Test
  void outlierWidensOnlyItsOwnInterval() {
    Random random = new Random(6);
    List<Runs> jobs = Stream.generate(() -> scattering(random, 2, Noise.NORMAL)).limit(4).toList();
    Runs outlier = runs(List.of(1.6, 4.4), List.of(1.0, 1.0));
    List<Runs> all = Stream.concat(jobs.stream(), Stream.of(outlier)).toList();
    assertAll(
        () ->
            assertEquals(
                Gain.of(jobs.subList(0, 1), jobs).half(), Gain.of(jobs.subList(0, 1), all).half()),
        () -> assertEquals(gain(outlier).half(), Gain.of(List.of(outlier), all).half()),
        () ->
            assertTrue(
                Gain.of(all, all).half() > 2 * Gain.of(jobs, jobs).half(),
                "a mean contains the outlier"));
  }

  @Test
  void outliersDoNotHideEachOther() {
    Random random = new Random(7);
    List<Runs> jobs = Stream.generate(() -> scattering(random, 3, Noise.NORMAL)).limit(5).toList();
    Runs outlier = runs(List.of(1.0, 3.0, 2.0), List.of(1.0, 1.0, 1.0));
    List<Runs> all = Stream.concat(jobs.stream(), Stream.of(outlier, outlier, outlier)).toList();
    List<Runs> first = jobs.subList(0, 1);
    assertEquals(Gain.of(first, jobs).half(), Gain.of(first, all).half());
  }

  /**
   * Of 95 % intervals, 95 % have to contain the true ratio: those of single jobs and of the mean,
   * whether runs scatter normally or sometimes five times as much, and as Student's distribution
   * with 3 degrees of freedom, whose variance is finite while its kurtosis is not.
   */
  @ParameterizedTest
  @CsvSource({
    "NORMAL, 2, 5", "NORMAL, 2, 22", "NORMAL, 3, 5", "NORMAL, 3, 22", "NORMAL, 5, 5",
    "NORMAL, 5, 22", "OUTLIERS, 2, 5", "OUTLIERS, 2, 22", "OUTLIERS, 3, 5", "OUTLIERS, 3, 22",
    "OUTLIERS, 5, 5", "OUTLIERS, 5, 22", "STUDENT, 2, 5", "STUDENT, 2, 22", "STUDENT, 3, 5",
    "STUDENT, 3, 22", "STUDENT, 5, 5", "STUDENT, 5, 22"
  })
  void intervalsContainTheTrueRatioAsOftenAsTheySay(Noise noise, int runs, int jobs) {
    Random random = new Random(100L * runs + jobs);
    int groups = 2000 / jobs;
    int single = 0;
    int mean = 0;
    for (int group = 0; group < groups; group++) {
      List<Runs> all = Stream.generate(() -> scattering(random, runs, noise)).limit(jobs).toList();
      for (Runs job : all) {
        Gain gain = Gain.of(List.of(job), all);
        single += gain.isFaster() || gain.isSlower() ? 0 : 1;
      }
      Gain gain = Gain.of(all, all);
      mean += gain.isFaster() || gain.isSlower() ? 0 : 1;
    }
    double ofSingle = (double) single / groups / jobs;
    double ofMeans = (double) mean / groups;
    assertAll(
        () -> assertTrue(ofSingle >= 0.94, "single jobs: " + ofSingle),
        () -> assertTrue(ofMeans >= 0.93, "means: " + ofMeans));
  }

  /** How the logarithms of seconds scatter. */
  enum Noise {
    NORMAL {
      @Override
      double next(Random random) {
        return random.nextGaussian();
      }
    },
    OUTLIERS {
      @Override
      double next(Random random) {
        return random.nextGaussian() * (random.nextInt(20) == 0 ? 5 : 1);
      }
    },
    STUDENT {
      @Override
      double next(Random random) {
        double squares =
            IntStream.range(0, 3).mapToDouble(i -> Math.pow(random.nextGaussian(), 2)).sum();
        return random.nextGaussian() / Math.sqrt(squares / 3);
      }
    };

    abstract double next(Random random);
  }

  /** Returns a job that takes equally long with both managers, but for noise of some 5 %. */
  private static Runs scattering(Random random, int runs, Noise noise) {
    return new Runs(seconds(random, runs, noise), seconds(random, runs, noise), 1);
  }

  private static List<Double> seconds(Random random, int runs, Noise noise) {
    return Stream.generate(() -> 2 * Math.exp(0.05 * noise.next(random))).limit(runs).toList();
  }

  /** What a start has in common, such as the code that its JVMs have compiled, is no scatter. */
  @Test
  void startsAreWhatScattersNotTheirRuns() {
    List<Double> baseline = List.of(2.0, 2.2, 2.1, 3.0, 3.2, 3.1);
    List<Double> own = List.of(1.0, 1.1, 1.05, 1.5, 1.6, 1.55);
    Gain twoStarts = gain(new Runs(baseline, own, 3));
    assertEquals(2, twoStarts.value(), 1e-12);
    assertEquals(0, twoStarts.half(), 1e-12);
    Gain other = gain(new Runs(baseline, List.of(1.0, 1.1, 1.05, 3.0, 3.2, 3.1), 3));
    double deviation = Math.log(2) / Math.sqrt(2);
    assertEquals(12.7062 * deviation / Math.sqrt(2) * Math.sqrt(Math.PI / 2), other.half(), 1e-3);
  }

  @Test
  void jobsThatAreSlowInTheSameStartTellNoMoreThanOne() {
    Runs drift = new Runs(List.of(2.0, 1.0, 2.0, 1.0), List.of(1.0, 2.0, 1.0, 2.0), 1);
    Runs against = new Runs(List.of(1.0, 2.0, 1.0, 2.0), List.of(2.0, 1.0, 2.0, 1.0), 1);
    assertTrue(gain(drift, drift, drift).half() > 1.3 * gain(drift, against, drift).half());
  }

  private static Runs noise(Random random) {
    return runs(seconds(random), seconds(random));
  }

  /** Runs of one start. */
  private static Runs runs(List<Double> baseline, List<Double> own) {
    return new Runs(baseline, own, 100);
  }

  private static List<Double> seconds(Random random) {
    return Stream.generate(() -> 2 * Math.exp(0.1 * random.nextGaussian())).limit(4).toList();
  }

  private static Gain gain(Runs... runs) {
    return Gain.of(List.of(runs), List.of(runs));
  }
}
