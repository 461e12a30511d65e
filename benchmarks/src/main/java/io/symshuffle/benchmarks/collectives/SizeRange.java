// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cli.CliException;
import io.symshuffle.plugin.config.ByteSize;
import java.util.ArrayList;
import java.util.List;

/**
 * Sizes in the format of the option: {@code 64KiB}, or {@code 4KiB:1GiB}, in which each size is 8
 * times the one before.
 */
final class SizeRange {
  private static final long MAX_BYTES = 64L << 30;
  private static final int FACTOR = 8;

  private SizeRange() {}

  /** Returns the sizes in ascending order, rounded up to whole floats. */
  static List<Long> parse(String text) {
    String[] ends = text.split(":", -1);
    long first = bytes(ends[0], text);
    long last = ends.length == 1 ? first : bytes(ends[1], text);
    if (ends.length > 2 || first > last) {
      throw wrong(text);
    }
    List<Long> sizes = new ArrayList<>();
    for (long size = first; size <= last; size *= FACTOR) {
      sizes.add(Math.ceilDiv(size, Float.BYTES) * Float.BYTES);
    }
    return sizes;
  }

  /** Formats a size: {@code 256 MiB}. */
  static String format(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB"};
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return value == Math.rint(value)
        ? "%.0f %s".formatted(value, units[unit])
        : "%.1f %s".formatted(value, units[unit]);
  }

  private static long bytes(String size, String text) {
    try {
      long bytes = ByteSize.parse(size).bytes();
      if (bytes > 0 && bytes <= MAX_BYTES) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      throw wrong(text);
    }
    throw wrong(text);
  }

  private static CliException wrong(String text) {
    return CliException.wrongUsage(
        "--sizes is '%s'; it must be a size like 64KiB or a range like 4KiB:1GiB, at most 64GiB."
            .formatted(text));
  }
}
