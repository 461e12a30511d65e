// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a PE runs. It serves to count the PEs that share a memory and to find what the driver's own
 * host has to remove; whether a heap can be mapped is found out by opening it.
 *
 * @param name the host as Spark names it; containers of one machine have different ones
 * @param bootId the kernel's boot id, the same for all containers of a machine; empty if unknown
 */
public record HostIdentity(String name, String bootId) {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** Checks that both parts are there. */
  public HostIdentity {
    requireNonNull(name, "name is null");
    requireNonNull(bootId, "bootId is null");
  }

  /**
   * The identity of the host that this runs on.
   *
   * @param name the host as Spark names it
   * @return the identity
   */
  public static HostIdentity local(String name) {
    return new HostIdentity(name, readBootId());
  }

  /**
   * Whether a process there may see the same files as one here.
   *
   * @param other another identity
   * @return true if both have the same kernel
   */
  public boolean isSameMachine(HostIdentity other) {
    return !bootId.isEmpty() && bootId.equals(other.bootId);
  }

  private static String readBootId() {
    try {
      return Files.readString(BOOT_ID).trim();
    } catch (IOException e) {
      // No Linux, or a container without it: nothing depends on it but removing folders early.
      return "";
    }
  }
}
