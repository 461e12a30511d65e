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

/** Where a fault can be injected, and which kinds are possible there. */
public enum FaultPoint {
  /** An executor starts and has not joined yet. */
  START,
  /** A map output allocates room in the heap for a run or an index. */
  ALLOCATE,
  /** A run is in the heap and its checksums are known. */
  WRITE,
  /** Bytes are about to be appended to a map output's file. */
  DISK,
  /** An index was written into the heap. */
  INDEX,
  /** A map output is about to be published. */
  PUBLISH,
  /** A map output was published, and its task has not reported it yet. */
  PUBLISHED,
  /** A task has taken its lease and has not read anything. */
  LEASE,
  /** A task opens a block on this host. */
  READ,
  /** A block is sent to another executor. */
  SERVE,
  /** An executor tests whether another one of its host is alive. */
  PROBE;

  /** The name in the setting. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether a kind of fault is possible here. */
  public boolean allows(FaultKind kind) {
    return switch (this) {
      case START -> kind == DELAY || kind == FAIL || kind == KILL;
      case ALLOCATE -> kind == FULL;
      case WRITE -> kind == DELAY || kind == FAIL || kind == BIT || kind == PAGE;
      case DISK -> kind == DELAY || kind == FAIL || kind == BIT;
      case INDEX -> kind == BIT;
      case PUBLISH -> kind == DELAY || kind == FAIL || kind == KILL;
      case PUBLISHED -> kind == DELAY || kind == BIT || kind == KILL;
      case LEASE -> kind == DELAY || kind == KILL;
      case READ -> kind == DELAY || kind == FAIL || kind == KILL;
      case SERVE ->
          kind == DELAY || kind == FAIL || kind == BIT || kind == TRUNCATE || kind == KILL;
      case PROBE -> kind == FAIL;
    };
  }
}
