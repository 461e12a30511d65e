// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.nvshmem;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * An ordered set of PEs, which all members create and destroy together through {@link
 * NvshmemExtras}. Thread-safe.
 */
public final class Team {
  /** NVSHMEM_TEAM_INVALID. */
  static final int INVALID = -1;

  private static final Duration TRANSLATE_LIMIT = Duration.ofSeconds(10);

  /** NVSHMEM's predefined teams. */
  public enum Predefined {
    /** All PEs. */
    WORLD(0),
    /** The PEs whose memory this PE can load from and store to. */
    SHARED(1),
    /** The PEs of this host. */
    NODE(2);

    private final int number;

    Predefined(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }
  }

  private final NvshmemExtras extras;
  private final int handle;
  private final String name;
  private final boolean predefined;
  private final int myPe;
  private final int size;
  private volatile boolean destroyed;

  Team(NvshmemExtras extras, int handle, String name, boolean predefined, int myPe, int size) {
    this.extras = extras;
    this.handle = handle;
    this.name = name;
    this.predefined = predefined;
    this.myPe = myPe;
    this.size = size;
  }

  /** {@return number of members} */
  public int size() {
    return size;
  }

  /** {@return this PE's number within the team} */
  public int myPe() {
    return myPe;
  }

  /**
   * Returns a member's number in another team.
   *
   * @param pe a number within this team
   * @param to the other team
   * @return its number there; empty when it is not a member
   */
  public OptionalInt translate(int pe, Team to) {
    if (pe < 0 || pe >= size) {
      throw new IllegalArgumentException("team %s has no PE %d".formatted(name, pe));
    }
    int number =
        extras.call(
            "translating a PE of team " + name,
            TRANSLATE_LIMIT,
            calls -> calls.translate(this, pe, to));
    return number < 0 ? OptionalInt.empty() : OptionalInt.of(number);
  }

  int handle() {
    if (destroyed) {
      throw new IllegalStateException("team " + name + " is destroyed");
    }
    return handle;
  }

  int handleOfDestroyed() {
    return handle;
  }

  void markDestroyed() {
    if (predefined) {
      throw new IllegalStateException("team " + name + " is predefined and cannot be destroyed");
    }
    if (destroyed) {
      throw new IllegalStateException("team " + name + " is already destroyed");
    }
    destroyed = true;
  }

  @Override
  public String toString() {
    return name;
  }
}
