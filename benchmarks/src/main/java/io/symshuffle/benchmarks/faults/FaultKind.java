// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

import java.util.Locale;

/** The effect of a fault. */
public enum FaultKind {
  /** The thread waits for the delay of the {@link FaultSpec}. */
  DELAY,
  /** The operation fails with an {@code IOException}. */
  FAIL,
  /** The process ends immediately without cleanup, as after SIGKILL. */
  KILL,
  /** One bit of the data is flipped. */
  BIT,
  /** A page of the data is overwritten. */
  PAGE,
  /** The heap has no room. */
  FULL,
  /** The transfer ends early. */
  TRUNCATE;

  /** The name in the setting. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
