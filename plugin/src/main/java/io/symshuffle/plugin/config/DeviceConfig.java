// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * An application's settings about GPUs, checked. {@link Settings} documents each.
 *
 * @param enabled {@link Settings#DEVICE_ENABLED}; empty: auto
 * @param pes {@link Settings#DEVICE_PES}; empty: auto
 * @param nvshmemHome {@link Settings#DEVICE_NVSHMEM_HOME}; empty: auto
 * @param networkInterface {@link Settings#DEVICE_INTERFACE}; empty: auto
 */
public record DeviceConfig(
    Optional<Boolean> enabled,
    String backend,
    boolean peerAccess,
    ByteSize chunkSize,
    boolean required,
    Optional<Integer> pes,
    GpuShare heapSize,
    Duration timeout,
    Optional<Path> nvshmemHome,
    Optional<String> networkInterface) {

  /** Returns whether executors look for GPUs. */
  public boolean isOn() {
    return enabled.orElse(true);
  }

  /** Returns whether the user expects GPUs, so that a missing one is worth a warning. */
  public boolean isExpected() {
    return required || enabled.orElse(false);
  }
}
