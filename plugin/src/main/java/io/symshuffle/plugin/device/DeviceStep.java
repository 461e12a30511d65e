// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

import io.symshuffle.nvshmem.UniqueId;
import java.util.Optional;

/** What an executor tells the driver on its way into a device epoch; each is answered with news. */
public sealed interface DeviceStep {

  /**
   * It has a GPU and all that is needed to start.
   *
   * @param gpu what it brings
   */
  record Offer(GpuOffer gpu) implements DeviceStep {
    /** Checks that there is one. */
    public Offer {
      requireNonNull(gpu, "gpu is null");
    }
  }

  /**
   * It will not take part, so nobody has to wait for it.
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
   * It was asked to make the unique id, and has.
   *
   * @param id the id
   */
  record Named(UniqueId id) implements DeviceStep {
    /** Checks that there is one. */
    public Named {
      requireNonNull(id, "id is null");
    }
  }

  /**
   * It has come through the start, or has not.
   *
   * @param failure what went wrong, a sentence without its full stop; empty if nothing did
   */
  record Outcome(Optional<String> failure) implements DeviceStep {
    /** Checks. */
    public Outcome {
      requireNonNull(failure, "failure is null");
    }
  }

  /** It only asks. */
  record Poll() implements DeviceStep {}
}
