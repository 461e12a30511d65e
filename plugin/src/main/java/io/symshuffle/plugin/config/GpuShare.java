// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Part of a GPU's memory: a fraction such as {@code 0.3}, or a byte size such as {@code 20g}.
 *
 * @param fraction from 0.01 to 0.95; empty where bytes are given
 * @param bytes from {@link #LEAST} to {@link #MOST}; empty where a fraction is given
 */
public record GpuShare(OptionalDouble fraction, Optional<ByteSize> bytes) {
  /** The smallest size that is given as bytes. */
  public static final ByteSize LEAST = ByteSize.parse("16m");

  /** The largest size that is given as bytes. */
  public static final ByteSize MOST = ByteSize.parse("1t");

  private static final double LEAST_FRACTION = 0.01;
  private static final double MOST_FRACTION = 0.95;
  private static final Pattern FRACTION = Pattern.compile("0?\\.[0-9]{1,6}");

  /** Checks the bounds, and that there is one of the two. */
  public GpuShare {
    requireNonNull(fraction, "fraction is null");
    requireNonNull(bytes, "bytes is null");
    boolean fits =
        fraction.isPresent()
            ? bytes.isEmpty()
                && fraction.getAsDouble() >= LEAST_FRACTION
                && fraction.getAsDouble() <= MOST_FRACTION
            : bytes.isPresent()
                && bytes.get().compareTo(LEAST) >= 0
                && bytes.get().compareTo(MOST) <= 0;
    if (!fits) {
      throw new IllegalArgumentException(
          "%s, %s are no share of a GPU's memory".formatted(fraction, bytes));
    }
  }

  /**
   * A fraction.
   *
   * @param fraction from 0.01 to 0.95
   * @return the share
   */
  public static GpuShare fraction(double fraction) {
    return new GpuShare(OptionalDouble.of(fraction), Optional.empty());
  }

  /**
   * Reads a share.
   *
   * @param text a number with a point, which is a fraction, or a byte size
   * @return the share
   * @throws IllegalArgumentException if it is neither, or out of bounds
   */
  public static GpuShare parse(String text) {
    return FRACTION.matcher(text).matches()
        ? fraction(Double.parseDouble(text))
        : new GpuShare(OptionalDouble.empty(), Optional.of(ByteSize.parse(text)));
  }

  /**
   * How much that is on a GPU.
   *
   * @param memoryBytes all memory of the GPU
   * @return bytes; more than the GPU has if so many were asked for
   */
  public long of(long memoryBytes) {
    return fraction.isPresent()
        ? (long) (memoryBytes * fraction.getAsDouble())
        : bytes.orElseThrow().bytes();
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    return fraction.isPresent()
        ? Double.toString(fraction.getAsDouble())
        : bytes.orElseThrow().toString();
  }
}
