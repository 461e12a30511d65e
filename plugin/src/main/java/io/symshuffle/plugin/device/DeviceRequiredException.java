// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

/** There is no device heap and the application requires one; the message says why. */
public final class DeviceRequiredException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DeviceRequiredException(String message) {
    super(message);
  }
}
