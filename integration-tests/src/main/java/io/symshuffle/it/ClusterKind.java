// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

/** Where the executors of a test's application run. */
public enum ClusterKind {
  /** {@code local[cores]}: driver, executor and test are one process. */
  LOCAL,
  /** {@code local-cluster[executors,cores,memory]}: executors are processes on this machine. */
  LOCAL_CLUSTER,
  /** A standalone master and one worker per executor, all processes on this machine. */
  STANDALONE,
  /**
   * A standalone master, and one worker per executor on a host of its own: a network namespace of
   * this machine with its own {@code /dev/shm}. Needs root and iproute2.
   */
  HOSTS
}
