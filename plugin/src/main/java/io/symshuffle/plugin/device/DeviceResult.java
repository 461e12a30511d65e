// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

/** The result of starting an executor's device heap. */
public sealed interface DeviceResult {

  /**
   * It has started.
   *
   * @param member the executor's part in the epoch
   */
  record Active(DeviceMember member) implements DeviceResult {}

  /**
   * The executor uses the host heap.
   *
   * @param reason why, a sentence without its full stop
   * @param expected whether this is normal, because there is no GPU and no setting asks for one
   */
  record HostHeap(String reason, boolean expected) implements DeviceResult {}

  /**
   * The application requires a device heap, so the executor must not run tasks.
   *
   * @param reason why, a sentence without its full stop
   */
  record Refused(String reason) implements DeviceResult {}
}
