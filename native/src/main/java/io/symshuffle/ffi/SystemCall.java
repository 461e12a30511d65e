// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The scope of one or more calls to the C library: memory for their arguments and for the captured
 * errno. Only this class turns an errno into an exception. For one thread, in a try block.
 */
final class SystemCall implements AutoCloseable {
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO = STATE.byteOffset(PathElement.groupElement("errno"));

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment state = arena.allocate(STATE);

  /** The captured errno: the first argument of each call in {@link Libc}. */
  MemorySegment state() {
    return state;
  }

  Arena arena() {
    return arena;
  }

  /** Returns errno of the last call; only meaningful if that call failed. */
  int errno() {
    return state.get(ValueLayout.JAVA_INT, ERRNO);
  }

  boolean failedWith(Errno errno) {
    return errno() == errno.number();
  }

  /**
   * Returns the exception for the last call. Pass paths and names as strings, addresses as numbers.
   */
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
