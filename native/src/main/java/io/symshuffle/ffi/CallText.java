// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Formats C calls with their arguments for error messages. */
public final class CallText {
  private CallText() {}

  /**
   * Formats a call.
   *
   * @param arguments its arguments; a segment is formatted as its address
   * @return for example {@code cuMemAlloc(0x7ffd10, 1048576)}
   */
  public static String of(String function, Object... arguments) {
    return Arrays.stream(arguments)
        .map(argument -> argument instanceof MemorySegment s ? hex(s.address()) : "" + argument)
        .collect(Collectors.joining(", ", function + "(", ")"));
  }

  /** Returns the text of an address or a handle, for example {@code 0x7ffd10}. */
  public static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }
}
