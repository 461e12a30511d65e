// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.nvshmem.UniqueId;
import java.io.Serializable;

/** An executor's report to the driver during the start of its device heap. */
public sealed interface DeviceStep extends Serializable {

  /** It has a GPU and is ready to start. */
  record Offer(GpuOffer gpu) implements DeviceStep {}

  /**
   * It does not take part, so nobody has to wait for it.
   *
   * @param reason why, a sentence without its full stop
   */
  record Decline(String reason) implements DeviceStep {}

  /** It has created the unique id, as the driver asked. */
  record IdCreated(UniqueId id) implements DeviceStep {}

  /** It has opened a device heap alone, which no other executor has to wait for. */
  record Opened() implements DeviceStep {}

  /** It has started. */
  record Started() implements DeviceStep {}

  /**
   * It could not start.
   *
   * @param reason a sentence without its full stop
   */
  record Failed(String reason) implements DeviceStep {}

  /** It asks what to do next. */
  record Poll() implements DeviceStep {}
}
