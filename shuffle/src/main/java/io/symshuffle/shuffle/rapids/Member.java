// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static java.util.Objects.requireNonNull;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/** A method, constructor or field of another library, called with objects. Thread-safe. */
final class Member {
  private final String name;
  private final MethodHandle target;

  Member(String name, MethodHandle target) {
    this.name = requireNonNull(name, "name is null");
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
   * @return what it returns, null for nothing
   * @throws IllegalStateException around a checked exception; others pass as they are
   */
  Object call(Object... arguments) {
    try {
      return (Object) target.invokeExact(arguments);
    } catch (RuntimeException | Error e) {
      // The engine's own exceptions for lack of memory among them: it must see them again.
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(name + " failed: " + e.getMessage(), e);
    }
  }
}
