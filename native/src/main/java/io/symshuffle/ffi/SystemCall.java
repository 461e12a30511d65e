// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The surroundings of one or more calls of the C library: memory for their arguments and the place
 * where errno is captured; and the one place that turns (call, arguments, errno) into an exception.
 * Of one thread, for a try block.
 */
final class SystemCall implements AutoCloseable {
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment state = arena.allocate(Libc.CALL_STATE);

  /** Where the linker leaves errno: the first argument of each call in {@link Libc}. */
  MemorySegment state() {
    return state;
  }

  Arena arena() {
    return arena;
  }

  /** errno of the last call; of use only when that call said that it failed. */
  int errno() {
    return (int) Libc.ERRNO.get(state, 0L);
  }

  boolean failedWith(Errno errno) {
    return errno() == errno.number();
  }

  /** The exception for the last call. Paths and names go in as strings, addresses as numbers. */
  NativeCallException failure(String function, Object... arguments) {
    String call =
        Arrays.stream(arguments)
            .map(argument -> argument instanceof CharSequence s ? "\"" + s + "\"" : "" + argument)
            .collect(Collectors.joining(", ", function + "(", ")"));
    return new NativeCallException(call, errno(), Errno.describe(errno()));
  }

  @Override
  public void close() {
    arena.close();
  }
}
