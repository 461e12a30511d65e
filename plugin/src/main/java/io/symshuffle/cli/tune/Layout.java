// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.OptionalLong;

/**
 * How executors are spread over a cluster of equal machines.
 *
 * @param machine what one of them has
 * @param executors number of executors on each
 * @param containerBytes the memory of each container that the user gives; empty: what fits
 */
record Layout(
    ClusterKind kind,
    int nodes,
    MachineFacts machine,
    int executors,
    int cores,
    OptionalLong containerBytes) {
  /** JVMs with more cores have longer pauses for garbage collection. */
  static final int MAX_CORES = 16;

  /**
   * Chooses the number of executors: one per GPU, otherwise as many as the given memory of a
   * container allows, otherwise one per pod and node, or one per {@link #MAX_CORES} cores.
   *
   * @param containerBytes memory of a pod or container; empty to choose it
   */
  static Layout of(ClusterKind kind, int nodes, MachineFacts machine, OptionalLong containerBytes) {
    int executors;
    if (kind == ClusterKind.LOCAL) {
      executors = 1;
    } else if (!machine.gpus().isEmpty()) {
      executors = machine.gpus().size();
    } else if (containerBytes.isPresent()) {
      long fit = machine.memoryForExecutors() / containerBytes.getAsLong();
      executors = Math.clamp(fit, 1, machine.cores());
    } else if (kind.sharesMemory()) {
      executors = Math.ceilDiv(machine.cores(), MAX_CORES);
    } else {
      executors = 1;
    }
    int cores = Math.max(1, machine.cores() / executors);
    return new Layout(kind, nodes, machine, executors, cores, containerBytes);
  }

  /** Returns the number of executors of the application. */
  int total() {
    return nodes * executors;
  }

  boolean hasGpus() {
    return !machine.gpus().isEmpty() && kind != ClusterKind.LOCAL;
  }

  /** Returns whether device heaps can start: containers of YARN and pods see only their own GPU. */
  boolean hasDeviceHeaps() {
    return hasGpus() && !kind.limitsMemory();
  }

  /** Describes the cluster, as the end of a sentence that begins with "Settings for". */
  @Override
  public String toString() {
    String each =
        "%s, with %s".formatted(nodes == 1 ? "one machine" : nodes + " machines", machine);
    return switch (kind) {
      case LOCAL -> "local mode on a machine with " + machine;
      case STANDALONE -> "a standalone cluster of " + each;
      case YARN -> "YARN on " + each;
      case KUBERNETES -> "Kubernetes on " + each;
    };
  }
}
