// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

import java.util.Locale;

/** What a fault does. */
public enum FaultKind {
  /** The thread waits for a moment. */
  DELAY,
  /** What is under way fails with an {@code IOException}. */
  FAIL,
  /** The process ends at once, without any cleaning up, as by SIGKILL. */
  KILL,
  /** One bit of what was written is flipped. */
  BIT,
  /** A page of what was written is overwritten. */
  PAGE,
  /** The heap has no room. */
  FULL,
  /** What is sent breaks off. */
  TRUNCATE;

  /** The name in the setting. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
