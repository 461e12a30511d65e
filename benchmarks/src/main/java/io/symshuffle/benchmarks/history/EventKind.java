// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import java.util.Arrays;
import java.util.Optional;

/**
 * What happened. An event that lets others use memory is recorded after it, and one that takes it
 * from them before it, so that the times of a right history are in order, too.
 */
enum EventKind {
  /** A lease on a shuffle was acquired. */
  LEASE(1),
  /** A lease on a shuffle is about to end. */
  RELEASE(2),
  /** A lookup found a map output; the time is the start of the lookup. */
  FOUND(3),
  /** A lookup found nothing; the time is its start, and {@code offset} the time of its end. */
  MISSING(4),
  /** From now until the lease ends, bytes of a PE's window may be read. */
  READ(5),
  /** A map output was published. */
  PUBLISH(6),
  /** The directory entry of a map output is about to be erased. */
  ERASE(7),
  /** A slab of a map output is about to be freed; without bytes if it has none in host memory. */
  FREE(8),
  /** The memory of a range is about to be returned to the operating system. */
  PUNCH(9),
  /** The window of a PE was mapped. */
  MAP(10),
  /** The window of a PE is about to be unmapped. */
  UNMAP(11);

  private final int code;

  EventKind(int code) {
    this.code = code;
  }

  /** The number in a file, which is not 0. */
  int code() {
    return code;
  }

  /** The kind with a number; empty if there is none. */
  static Optional<EventKind> ofCode(int code) {
    return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
  }
}
