// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a PE runs. Used to count the PEs that share a memory and to find the folders that the
 * driver can remove. Whether a heap can be mapped shows only when it is opened.
 *
 * @param name the host as Spark names it; containers of one machine have different ones
 * @param bootId the kernel's boot id, the same for all containers of a machine; empty if unknown
 */
public record HostIdentity(String name, String bootId) implements Serializable {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /**
   * The identity of the host that this runs on.
   *
   * @param name the host as Spark names it
   */
  public static HostIdentity local(String name) {
    return new HostIdentity(name, readBootId());
  }

  /** Whether processes on both may see the same files. */
  public boolean isSameMachine(HostIdentity other) {
    return !bootId.isEmpty() && bootId.equals(other.bootId);
  }

  private static String readBootId() {
    try {
      return Files.readString(BOOT_ID).trim();
    } catch (IOException e) {
      // Not Linux, or hidden by the container: folders are then removed by executors or sweeps.
      return "";
    }
  }
}
