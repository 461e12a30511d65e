// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * An application's settings about GPUs, checked. {@link Settings} documents each.
 *
 * @param enabled {@link Settings#DEVICE_ENABLED}; empty: auto
 * @param backend {@link Settings#DEVICE_BACKEND}
 * @param peerAccess {@link Settings#DEVICE_PEER_ACCESS}
 * @param chunkSize {@link Settings#DEVICE_CHUNK_SIZE}
 * @param required {@link Settings#DEVICE_REQUIRED}
 * @param pes {@link Settings#DEVICE_PES}; empty: auto
 * @param heapSize {@link Settings#DEVICE_HEAP_SIZE}
 * @param timeout {@link Settings#DEVICE_TIMEOUT}
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

  /** Checks that no value is null. */
  public DeviceConfig {
    requireNonNull(enabled, "enabled is null");
    requireNonNull(backend, "backend is null");
    requireNonNull(chunkSize, "chunkSize is null");
    requireNonNull(pes, "pes is null");
    requireNonNull(heapSize, "heapSize is null");
    requireNonNull(timeout, "timeout is null");
    requireNonNull(nvshmemHome, "nvshmemHome is null");
    requireNonNull(networkInterface, "networkInterface is null");
  }

  /** {@return whether executors look for GPUs} */
  public boolean isOn() {
    return enabled.orElse(true);
  }

  /** {@return whether the user expects GPUs, so that a missing one is worth a warning} */
  public boolean isExpected() {
    return required || enabled.orElse(false);
  }
}
