// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

/** What became of an executor's way to a device heap. */
public sealed interface DeviceResult {

  /**
   * It has one.
   *
   * @param member its part
   */
  record Active(DeviceMember member) implements DeviceResult {
    /** Checks that there is one. */
    public Active {
      requireNonNull(member, "member is null");
    }
  }

  /**
   * It works on the host heap.
   *
   * @param reason why, a sentence without its full stop
   * @param expected whether that is as it should be, because there is no GPU and nobody said there
   *     was one
   */
  record HostHeap(String reason, boolean expected) implements DeviceResult {
    /** Checks that there is a reason. */
    public HostHeap {
      requireNonNull(reason, "reason is null");
    }
  }

  /**
   * It shall not work at all.
   *
   * @param reason why, a sentence without its full stop
   */
  record Refused(String reason) implements DeviceResult {
    /** Checks that there is a reason. */
    public Refused {
      requireNonNull(reason, "reason is null");
    }
  }
}
