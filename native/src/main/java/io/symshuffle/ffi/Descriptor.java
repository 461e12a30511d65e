// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * Owns a file descriptor that a library or another process has handed out. It is closed once and
 * refuses use after close. Thread-safe; closing waits for a duplication in progress.
 */
public final class Descriptor implements AutoCloseable {
  private static final int CLOSED = -1;

  @GuardedBy("this")
  private int number;

  private Descriptor(int number) {
    this.number = number;
  }

  /** Takes ownership of a descriptor. */
  public static Descriptor own(int number) {
    if (number < 0) {
      throw new IllegalArgumentException(number + " is not a file descriptor");
    }
    return new Descriptor(number);
  }

  /** Returns its number, valid until it is closed. */
  public synchronized int number() {
    if (number == CLOSED) {
      throw new IllegalStateException("the file descriptor is closed");
    }
    return number;
  }

  /**
   * Duplicates it, so that the copy can be used while the original is closed.
   *
   * @return a descriptor of the same open file, which child processes do not inherit
   * @throws NativeCallException EMFILE when this process has no free descriptor
   */
  public synchronized Descriptor duplicate() {
    try (SystemCall call = new SystemCall()) {
      int copy = Libc.C.fcntl(call.state(), number(), LinuxAbi.F_DUPFD_CLOEXEC, 0);
      if (copy < 0) {
        throw call.failure("fcntl", number, "F_DUPFD_CLOEXEC", 0);
      }
      return new Descriptor(copy);
    }
  }

  @Override
  public synchronized void close() {
    if (number == CLOSED) {
      return;
    }
    int closing = number;
    number = CLOSED;
    try (SystemCall call = new SystemCall()) {
      if (Libc.C.close(call.state(), closing) != 0) {
        // On Linux the descriptor is released even when close fails.
        throw call.failure("close", closing);
      }
    }
  }
}
