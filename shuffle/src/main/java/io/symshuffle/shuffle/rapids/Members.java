// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Finds members of a library's classes. */
final class Members {
  private final ClassLoader loader;
  private final MethodHandles.Lookup lookup = MethodHandles.publicLookup();

  /** Finds members of classes of a loader. A class is not initialized before its first call. */
  Members(ClassLoader loader) {
    this.loader = loader;
  }

  Class<?> type(String name) throws RapidsMismatchException {
    try {
      return Class.forName(name, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new RapidsMismatchException("it has no class " + name, e);
    }
  }

  Member method(Class<?> owner, String name, Class<?> returns, Class<?>... parameters)
      throws RapidsMismatchException {
    try {
      return new Member(
          text(owner, name, parameters),
          lookup.findVirtual(owner, name, MethodType.methodType(returns, parameters)));
    } catch (ReflectiveOperationException | LinkageError e) {
      throw missing(owner, name, returns, e, parameters);
    }
  }

  Member staticMethod(Class<?> owner, String name, Class<?> returns, Class<?>... parameters)
      throws RapidsMismatchException {
    try {
      return new Member(
          text(owner, name, parameters),
          lookup.findStatic(owner, name, MethodType.methodType(returns, parameters)));
    } catch (ReflectiveOperationException | LinkageError e) {
      throw missing(owner, name, returns, e, parameters);
    }
  }

  /** Finds a static method that is not public. */
  Member privateStaticMethod(Class<?> owner, String name, Class<?> returns, Class<?>... parameters)
      throws RapidsMismatchException {
    try {
      return new Member(
          text(owner, name, parameters),
          MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
              .findStatic(owner, name, MethodType.methodType(returns, parameters)));
    } catch (ReflectiveOperationException | LinkageError e) {
      throw missing(owner, name, returns, e, parameters);
    }
  }

  Member constructor(Class<?> owner, Class<?>... parameters) throws RapidsMismatchException {
    try {
      return new Member(
          text(owner, "new", parameters),
          lookup.findConstructor(owner, MethodType.methodType(void.class, parameters)));
    } catch (ReflectiveOperationException | LinkageError e) {
      throw missing(owner, "new", owner, e, parameters);
    }
  }

  Member staticField(Class<?> owner, String name, Class<?> type) throws RapidsMismatchException {
    try {
      return new Member(text(owner, name), lookup.findStaticGetter(owner, name, type));
    } catch (ReflectiveOperationException | LinkageError e) {
      throw missing(owner, name, type, e);
    }
  }

  /** Finds a static field that is not public, to set it. */
  Member privateStaticSetter(Class<?> owner, String name, Class<?> type)
      throws RapidsMismatchException {
    try {
      return new Member(
          text(owner, name),
          MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
              .findStaticSetter(owner, name, type));
    } catch (ReflectiveOperationException | LinkageError e) {
      throw missing(owner, name, type, e);
    }
  }

  private static RapidsMismatchException missing(
      Class<?> owner, String name, Class<?> returns, Throwable cause, Class<?>... parameters) {
    return new RapidsMismatchException(
        "it has no %s %s".formatted(returns.getSimpleName(), text(owner, name, parameters)), cause);
  }

  private static String text(Class<?> owner, String name, Class<?>... parameters) {
    return "%s.%s(%s)"
        .formatted(
            owner.getSimpleName(),
            name,
            Arrays.stream(parameters).map(Class::getSimpleName).collect(Collectors.joining(", ")));
  }
}
