// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

import static io.symshuffle.benchmarks.faults.FaultKind.BIT;
import static io.symshuffle.benchmarks.faults.FaultKind.DELAY;
import static io.symshuffle.benchmarks.faults.FaultKind.FAIL;
import static io.symshuffle.benchmarks.faults.FaultKind.FULL;
import static io.symshuffle.benchmarks.faults.FaultKind.KILL;
import static io.symshuffle.benchmarks.faults.FaultKind.PAGE;
import static io.symshuffle.benchmarks.faults.FaultKind.TRUNCATE;

import java.util.Locale;
import java.util.Set;

/** Where a fault can be injected, and which kinds are possible there. */
public enum FaultPoint {
  /** An executor starts and has not joined yet. */
  START(DELAY, FAIL, KILL),
  /** A map output allocates room in the heap for a run or an index. */
  ALLOCATE(FULL),
  /** A run is in the heap and its checksums are known. */
  WRITE(DELAY, FAIL, BIT, PAGE),
  /** Bytes are about to be appended to a map output's file. */
  DISK(DELAY, FAIL, BIT),
  /** An index was written into the heap. */
  INDEX(BIT),
  /** A map output is about to be published. */
  PUBLISH(DELAY, FAIL, KILL),
  /** A map output was published, and its task has not reported it yet. */
  PUBLISHED(DELAY, BIT, KILL),
  /** A task has taken its lease and has not read anything. */
  LEASE(DELAY, KILL),
  /** A task opens a block on this host. */
  READ(DELAY, FAIL, KILL),
  /** A block is sent to another executor. */
  SERVE(DELAY, FAIL, BIT, TRUNCATE, KILL),
  /** An executor tests whether another one of its host is alive. */
  PROBE(FAIL);

  @SuppressWarnings("ImmutableEnumChecker") // The set does not change.
  private final Set<FaultKind> kinds;

  FaultPoint(FaultKind... kinds) {
    this.kinds = Set.of(kinds);
  }

  /** The name in the setting. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether a kind of fault is possible here. */
  public boolean allows(FaultKind kind) {
    return kinds.contains(kind);
  }
}
