// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.Arena;
import java.util.Optional;

/**
 * The environment that C libraries in this process see. Java's {@link System#getenv} is a copy made
 * at startup and does not reflect changes.
 *
 * <p>C's environment is not thread-safe: set the variables that a library needs before the first
 * call into it.
 */
public final class ProcessEnvironment {
  private ProcessEnvironment() {}

  /** Returns the value of a variable now; empty when it is not set. */
  public static Optional<String> get(String name) {
    try (Arena arena = Arena.ofConfined()) {
      long value = Libc.C.getenv(Segments.allocateString(arena, name));
      return value == 0 ? Optional.empty() : Optional.of(NativeMemory.string(value));
    }
  }

  /** Sets a variable unless it is set; returns false if it is. */
  public static boolean setIfUnset(String name, String value) {
    if (get(name).isPresent()) {
      return false;
    }
    set(name, value);
    return true;
  }

  /** Sets a variable. */
  public static void set(String name, String value) {
    try (Arena arena = Arena.ofConfined()) {
      int code =
          Libc.C.setenv(
              Segments.allocateString(arena, name), Segments.allocateString(arena, value), 1);
      if (code != 0) {
        throw new NativeCallException(
            "setenv(\"%s\", \"%s\", 1)".formatted(name, value), code, "the name is not allowed");
      }
    }
  }
}
