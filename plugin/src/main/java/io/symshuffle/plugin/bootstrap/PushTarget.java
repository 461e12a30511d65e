// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

/** The driver's way to one executor. */
@FunctionalInterface
interface PushTarget {
  /**
   * Sends without waiting for anything; whether it arrives is unknown.
   *
   * @param message an encoded message
   */
  void send(Object[] message);
}
