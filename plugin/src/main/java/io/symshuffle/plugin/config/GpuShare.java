// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * A share of a GPU's memory: a fraction such as {@code 0.3}, or a byte size such as {@code 20g}.
 *
 * @param fraction from 0.01 to 0.95; empty if bytes are given
 * @param bytes from {@link #MIN} to {@link #MAX}; empty if a fraction is given
 */
public record GpuShare(OptionalDouble fraction, Optional<ByteSize> bytes) {
  /** The smallest size in bytes. */
  public static final ByteSize MIN = ByteSize.parse("16m");

  /** The largest size in bytes. */
  public static final ByteSize MAX = ByteSize.parse("1t");

  private static final double MIN_FRACTION = 0.01;
  private static final double MAX_FRACTION = 0.95;
  private static final Pattern FRACTION = Pattern.compile("0?\\.[0-9]{1,6}");

  public GpuShare {
    boolean fits =
        fraction.isPresent()
            ? bytes.isEmpty()
                && fraction.getAsDouble() >= MIN_FRACTION
                && fraction.getAsDouble() <= MAX_FRACTION
            : bytes.isPresent()
                && bytes.get().compareTo(MIN) >= 0
                && bytes.get().compareTo(MAX) <= 0;
    if (!fits) {
      throw new IllegalArgumentException(
          "%s and %s are not a share of a GPU's memory".formatted(fraction, bytes));
    }
  }

  /**
   * A fraction.
   *
   * @param fraction from 0.01 to 0.95
   */
  public static GpuShare fraction(double fraction) {
    return new GpuShare(OptionalDouble.of(fraction), Optional.empty());
  }

  /**
   * Reads a share.
   *
   * @param text a number with a decimal point, which is a fraction, or a byte size
   * @throws IllegalArgumentException if it is neither, or out of bounds
   */
  public static GpuShare parse(String text) {
    return FRACTION.matcher(text).matches()
        ? fraction(Double.parseDouble(text))
        : new GpuShare(OptionalDouble.empty(), Optional.of(ByteSize.parse(text)));
  }

  /** Returns the bytes on a GPU of this memory, possibly more than it has. */
  public long of(long memoryBytes) {
    return fraction.isPresent()
        ? (long) (memoryBytes * fraction.getAsDouble())
        : bytes.orElseThrow().bytes();
  }

  /** The text that {@link #parse} reads. */
  @Override
  public String toString() {
    return fraction.isPresent()
        ? Double.toString(fraction.getAsDouble())
        : bytes.orElseThrow().toString();
  }
}
