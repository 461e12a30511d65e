// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

import io.symshuffle.shuffle.runtime.PartWrapper;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The faults to inject into an application, as one line of text: {@code
 * seed=7,delay=20,log=/folder/file,history=/folder,write.bit=0.01,publish.kill=0.001}.
 *
 * @param seed determines all decisions
 * @param delayMillis duration of a delay in milliseconds, 0 to 60,000
 * @param log a file to which each fault appends a line, so that those of a killed process count,
 *     too
 * @param history a folder in which each executor records what it does with shared memory, see
 *     {@link io.symshuffle.benchmarks.history.Recorder}
 * @param rules which faults occur where; several at one point exclude each other
 */
public record FaultSpec(
    long seed, int delayMillis, Optional<Path> log, Optional<Path> history, List<FaultRule> rules) {
  /** The internal setting. */
  public static final String KEY = PartWrapper.KEY;

  private static final int DEFAULT_DELAY_MILLIS = 20;
  private static final int MAX_DELAY_MILLIS = 60_000;

  public FaultSpec {
    rules = List.copyOf(rules);
    if (delayMillis < 0 || delayMillis > MAX_DELAY_MILLIS) {
      throw new IllegalArgumentException(
          "a delay of %d ms is not between 0 and %d".formatted(delayMillis, MAX_DELAY_MILLIS));
    }
    for (FaultPoint point : FaultPoint.values()) {
      double sum =
          rules.stream()
              .filter(rule -> rule.point() == point)
              .mapToDouble(FaultRule::probability)
              .sum();
      if (sum > 1) {
        throw new IllegalArgumentException(
            "the probabilities at '%s' add up to %s".formatted(point.label(), sum));
      }
    }
  }

  /**
   * Parses a spec.
   *
   * @throws IllegalArgumentException if the text is invalid; the message names the invalid part
   */
  public static FaultSpec parse(String text) {
    long seed = 0;
    int delayMillis = DEFAULT_DELAY_MILLIS;
    Optional<Path> log = Optional.empty();
    Optional<Path> history = Optional.empty();
    List<FaultRule> rules = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      String key = equals < 0 ? part.strip() : part.substring(0, equals).strip();
      String value = equals < 0 ? "" : part.substring(equals + 1).strip();
      try {
        switch (key) {
          case "seed" -> seed = Long.parseLong(value);
          case "delay" -> delayMillis = Integer.parseInt(value);
          case "log" -> log = Optional.of(Path.of(value));
          case "history" -> history = Optional.of(Path.of(value));
          default -> rules.add(rule(key, Double.parseDouble(value)));
        }
      } catch (NumberFormatException | InvalidPathException e) {
        throw new IllegalArgumentException(
            "'%s' is invalid in the faults '%s'".formatted(part, text), e);
      }
    }
    return new FaultSpec(seed, delayMillis, log, history, rules);
  }

  private static FaultRule rule(String key, double probability) {
    int dot = key.indexOf('.');
    String point = dot < 0 ? key : key.substring(0, dot);
    String kind = dot < 0 ? "" : key.substring(dot + 1);
    return new FaultRule(
        named(FaultPoint.class, point, key), named(FaultKind.class, kind, key), probability);
  }

  private static <E extends Enum<E>> E named(Class<E> type, String label, String key) {
    return Arrays.stream(type.getEnumConstants())
        .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no fault '" + key + "'"));
  }
}
