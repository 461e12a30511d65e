// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/**
 * A method, constructor or field of a library that is accessed through method handles. Thread-safe.
 */
final class Member {
  private final String name;
  private final MethodHandle target;

  Member(String name, MethodHandle target) {
    this.name = name;
    int parameters = target.type().parameterCount();
    this.target =
        target
            .asFixedArity()
            .asType(MethodType.genericMethodType(parameters))
            .asSpreader(Object[].class, parameters);
  }

  /**
   * Calls it.
   *
   * @param arguments the receiver first, if it has one
   * @return its result, null for a void method
   * @throws IllegalStateException if it throws a checked exception; other exceptions are not
   *     wrapped
   */
  Object call(Object... arguments) {
    try {
      return (Object) target.invokeExact(arguments);
    } catch (RuntimeException | Error e) {
      // Not wrapped: the engine must recognize its own out-of-memory exceptions.
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(name + " failed: " + e.getMessage(), e);
    }
  }
}
