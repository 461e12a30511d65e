// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.Locale;

/** Where executors run. */
enum ClusterKind {
  /** Driver and executor are one process. */
  LOCAL,
  /** Workers of Spark's own cluster manager. */
  STANDALONE,
  /** Containers of YARN, which share the memory of their node. */
  YARN,
  /** Pods, which do not share memory. */
  KUBERNETES;

  /** Returns whether executors of a node read each other's heaps in place. */
  boolean sharesMemory() {
    return this != KUBERNETES;
  }

  /** Returns whether executors run in containers whose memory is limited. */
  boolean limitsMemory() {
    return this == YARN || this == KUBERNETES;
  }

  /** Its name on the command line, also in picocli's messages. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
