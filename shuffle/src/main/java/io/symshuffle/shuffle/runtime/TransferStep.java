// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.runtime;

import java.util.Locale;

/**
 * What tables that travel from one host's GPU to another's wait for. The times are sums over
 * threads, so that they show what limits the transfer; they are not parts of a whole.
 */
public enum TransferStep {
  /** Owner: a block waits for a thread that stages it. */
  SEND_QUEUE("blocks wait for a thread that stages them"),
  /** Owner: such a thread waits for pinned memory. */
  SEND_MEMORY("threads that stage blocks wait for pinned memory"),
  /** Owner: the GPU packs tables. */
  SEND_PACK("the GPU packs tables to be sent"),
  /** Owner: the GPU copies them to pinned memory. */
  SEND_COPY("the GPU copies them to pinned memory"),
  /** Owner: a thread of Spark's block transfer waits for a block. */
  SEND_WAIT("threads of Spark's block transfer wait for a block to be staged or compressed"),
  /** Reader: a task waits for Spark's fetcher. */
  RECEIVE_NETWORK("tasks wait for tables from other hosts"),
  /** Reader: a task copies what has arrived to pinned memory and checks it. */
  RECEIVE_COPY("tasks copy what has arrived to pinned memory and check it"),
  /** Reader: a task with a gathered batch waits until it may use the GPU. */
  RECEIVE_GPU("tasks with a batch wait until they may use the GPU"),
  /** Reader: the GPU copies, unpacks and checks the tables of a batch. */
  RECEIVE_UNPACK("the GPU copies, unpacks and checks tables");

  private final String documentation;

  TransferStep(String documentation) {
    this.documentation = documentation;
  }

  /** What the time is spent on, for the documentation of metrics. */
  public String documentation() {
    return documentation;
  }

  /** Its name in metrics, words separated by dots, such as {@code send.queue}. */
  public String metric() {
    return name().toLowerCase(Locale.ROOT).replace('_', '.');
  }
}
