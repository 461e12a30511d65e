// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Damages valid inputs, without feedback from the code that reads them. {@link Fuzzing} finds more,
 * but takes a process per target.
 */
final class Mutations {
  private static final int MAX_CHANGES = 4;

  /** Numbers at which sizes, counts and offsets break. */
  private static final long[] NUMBERS = {
    0,
    1,
    -1,
    7,
    8,
    127,
    128,
    255,
    256,
    Short.MAX_VALUE,
    1 << 16,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    1L << 32,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private final List<byte[]> valid;
  private final Random random;

  /** Creates a source that returns the same inputs for the same seed. */
  Mutations(List<byte[]> valid, long seed) {
    this.valid = List.copyOf(valid);
    this.random = new Random(seed);
  }

  /** Returns one of the valid inputs after one to four changes. */
  byte[] next() {
    byte[] input = any().clone();
    for (int changes = 1 + random.nextInt(MAX_CHANGES); changes > 0; changes--) {
      input = changed(input);
    }
    return input;
  }

  private byte[] any() {
    return valid.get(random.nextInt(valid.size()));
  }

  private byte[] changed(byte[] input) {
    if (input.length == 0) {
      return new byte[] {(byte) random.nextInt()};
    }
    int at = random.nextInt(input.length);
    switch (random.nextInt(6)) {
      case 0 -> input[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      case 1 -> input[at] = (byte) random.nextInt();
      case 2 -> putNumber(input, at);
      case 3 -> {
        return Arrays.copyOf(input, at);
      }
      case 4 -> {
        return spliced(input, at);
      }
      default -> {
        byte[] noise = new byte[Math.min(input.length - at, 1 + random.nextInt(16))];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, input, at, noise.length);
      }
    }
    return input;
  }

  private void putNumber(byte[] input, int at) {
    long number = NUMBERS[random.nextInt(NUMBERS.length)];
    ByteBuffer bytes = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    // Most fields are aligned.
    int place = random.nextBoolean() ? at : at & -Integer.BYTES;
    if (input.length - place >= Long.BYTES && random.nextBoolean()) {
      bytes.putLong(place, number);
    } else if (input.length - place >= Integer.BYTES) {
      bytes.putInt(place, (int) number);
    }
  }

  /** Returns the start of the input, followed by the end of this or of another one. */
  private byte[] spliced(byte[] input, int at) {
    byte[] other = any();
    int from = random.nextInt(other.length + 1);
    byte[] both = Arrays.copyOf(input, at + other.length - from);
    System.arraycopy(other, from, both, at, other.length - from);
    return both;
  }
}
