// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations in Spark's format: an integer and its unit, such as {@code 30s} or {@code 2min}. The
 * unit is required, because a plain number means seconds in some of Spark's settings and
 * milliseconds in others.
 */
final class DurationText {
  private record Unit(String text, Duration one) {}

  // Largest first: format uses the first one that divides the duration.
  private static final List<Unit> UNITS =
      List.of(
          new Unit("d", Duration.ofDays(1)),
          new Unit("h", Duration.ofHours(1)),
          new Unit("min", Duration.ofMinutes(1)),
          new Unit("m", Duration.ofMinutes(1)),
          new Unit("s", Duration.ofSeconds(1)),
          new Unit("ms", Duration.ofMillis(1)),
          new Unit("us", Duration.ofNanos(1000)));

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,15})\\s*([a-z]+)");

  private DurationText() {}

  static Duration parse(String text) {
    Matcher matcher = TEXT.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      for (Unit unit : UNITS) {
        if (unit.text().equals(matcher.group(2))) {
          return multiple(unit, Long.parseLong(matcher.group(1)), text);
        }
      }
    }
    throw new IllegalArgumentException("'" + text + "' is not a duration");
  }

  private static Duration multiple(Unit unit, long count, String text) {
    try {
      return unit.one().multipliedBy(count);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("'" + text + "' is too long a duration", e);
    }
  }

  static String format(Duration duration) {
    if (duration.isZero()) {
      return "0s";
    }
    for (Unit unit : UNITS) {
      long count = duration.dividedBy(unit.one());
      if (unit.one().multipliedBy(count).equals(duration)) {
        return count + unit.text();
      }
    }
    throw new IllegalArgumentException(duration + " is not a multiple of a microsecond");
  }
}
