// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

/** Sends from the driver to one executor. */
@FunctionalInterface
public interface PushTarget {
  /**
   * Sends without waiting; the message may get lost.
   *
   * @param message a serialized message
   */
  void send(byte[] message);
}
