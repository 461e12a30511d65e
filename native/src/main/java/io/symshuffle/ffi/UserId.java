// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

/** The user id of this process. */
public final class UserId {
  private UserId() {}

  /** Returns the effective user id of this process, as an unsigned number. */
  public static int effective() {
    return Libc.C.geteuid();
  }
}
