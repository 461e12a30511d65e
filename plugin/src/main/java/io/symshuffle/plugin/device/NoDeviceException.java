// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

/** An executor's way to a device heap ends here; the message is the reason, without a full stop. */
final class NoDeviceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Whether there is simply no GPU, which is as it should be on most machines. */
  private final boolean withoutGpu;

  NoDeviceException(String reason) {
    this(reason, false);
  }

  NoDeviceException(String reason, boolean withoutGpu) {
    super(reason);
    this.withoutGpu = withoutGpu;
  }

  NoDeviceException(String reason, Throwable cause) {
    super(reason, cause);
    this.withoutGpu = false;
  }

  boolean isWithoutGpu() {
    return withoutGpu;
  }
}
