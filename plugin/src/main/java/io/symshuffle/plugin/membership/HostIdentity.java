// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import io.symshuffle.heap.folder.BootId;
import java.io.Serializable;

/**
 * Where a PE runs. Used to count the PEs that share a memory and to find the folders that the
 * driver can remove. Whether a heap can be mapped shows only when it is opened.
 *
 * @param name the host as Spark names it; containers of one machine have different ones
 * @param bootId the kernel's boot id, the same for all containers of a machine; empty if unknown:
 *     then executors or sweeps remove the folders
 */
public record HostIdentity(String name, String bootId) implements Serializable {
  /**
   * The identity of the host that this runs on.
   *
   * @param name the host as Spark names it
   */
  public static HostIdentity local(String name) {
    return new HostIdentity(name, BootId.text());
  }

  /** Whether processes on both may see the same files. */
  public boolean isSameMachine(HostIdentity other) {
    return !bootId.isEmpty() && bootId.equals(other.bootId);
  }
}
