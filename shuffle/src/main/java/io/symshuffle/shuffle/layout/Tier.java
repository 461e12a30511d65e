// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/** Where data of a map output is stored. */
public enum Tier {
  /** In the owner's window of the host heap; read in place by all PEs of the host. */
  HOST(0),
  /** In a file of the owner's disk folder. */
  DISK(1),
  /** In the owner's window of the device heap; pulled by kernels of the PEs of its epoch. */
  DEVICE(2);

  private final int code;

  Tier(int code) {
    this.code = code;
  }

  /** The number of the tier in layouts. */
  public int code() {
    return code;
  }

  /**
   * Returns the tier with a number.
   *
   * @throws IllegalArgumentException if there is no such tier
   */
  public static Tier ofCode(int code) {
    return switch (code) {
      case 0 -> HOST;
      case 1 -> DISK;
      case 2 -> DEVICE;
      default -> throw new IllegalArgumentException("tier %d does not exist".formatted(code));
    };
  }
}
