// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

/** An executor cannot have a device heap; the message is the reason, without a full stop. */
public final class NoDeviceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Whether there is just no GPU, which is normal on most machines. */
  private final boolean withoutGpu;

  public NoDeviceException(String reason) {
    this(reason, false);
  }

  NoDeviceException(String reason, boolean withoutGpu) {
    super(reason);
    this.withoutGpu = withoutGpu;
  }

  /** Returns whether there is just no GPU, which is normal on most machines. */
  public boolean isWithoutGpu() {
    return withoutGpu;
  }
}
