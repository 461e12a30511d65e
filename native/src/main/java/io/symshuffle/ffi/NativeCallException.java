// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

/**
 * A C function failed. The message contains the call with its arguments, and the code with its
 * name: {@code mmap(0, 1048576, ...) failed: ENOMEM (12), Cannot allocate memory}.
 */
public final class NativeCallException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int code;

  /**
   * @param code the library's error code; for the C library errno
   */
  public NativeCallException(String call, int code, String codeInWords) {
    super(call + " failed: " + codeInWords);
    this.code = code;
  }

  /** Returns the library's error code. */
  public int code() {
    return code;
  }

  /**
   * Returns whether the code equals an errno; for failures of the C library.
   *
   * @param errno the errno to compare with
   */
  public boolean is(Errno errno) {
    return code == errno.number();
  }
}
