// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

import io.symshuffle.nvshmem.UniqueId;
import java.io.Serializable;

/** An executor's report to the driver during the start of its device heap. */
public sealed interface DeviceStep extends Serializable {

  /**
   * It has a GPU and is ready to start.
   *
   * @param gpu what it offers
   */
  record Offer(GpuOffer gpu) implements DeviceStep {
    /** Checks that there is one. */
    public Offer {
      requireNonNull(gpu, "gpu is null");
    }
  }

  /**
   * It does not take part, so nobody has to wait for it.
   *
   * @param reason why, a sentence without its full stop
   */
  record Decline(String reason) implements DeviceStep {
    /** Checks that there is a reason. */
    public Decline {
      requireNonNull(reason, "reason is null");
    }
  }

  /**
   * It has created the unique id, as the driver asked.
   *
   * @param id the id
   */
  record IdCreated(UniqueId id) implements DeviceStep {
    /** Checks that there is one. */
    public IdCreated {
      requireNonNull(id, "id is null");
    }
  }

  /** It has opened a device heap alone, which no other executor has to wait for. */
  record Opened() implements DeviceStep {}

  /** It has started. */
  record Started() implements DeviceStep {}

  /**
   * It could not start.
   *
   * @param reason a sentence without its full stop
   */
  record Failed(String reason) implements DeviceStep {
    /** Checks that there is a reason. */
    public Failed {
      requireNonNull(reason, "reason is null");
    }
  }

  /** It asks what to do next. */
  record Poll() implements DeviceStep {}
}
