// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Optional;
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

  /** Finds a method of an object that is not public. */
  Member privateMethod(Class<?> owner, String name, Class<?> returns, Class<?>... parameters)
      throws RapidsMismatchException {
    try {
      return new Member(
          text(owner, name, parameters),
          MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
              .findVirtual(owner, name, MethodType.methodType(returns, parameters)));
    } catch (ReflectiveOperationException | LinkageError e) {
      throw missing(owner, name, returns, e, parameters);
    }
  }

  /** Finds a field of an object that is not public, to get it. */
  Member privateField(Class<?> owner, String name, Class<?> type) throws RapidsMismatchException {
    try {
      return new Member(
          text(owner, name),
          MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
              .findGetter(owner, name, type));
    } catch (ReflectiveOperationException | LinkageError e) {
      throw missing(owner, name, type, e);
    }
  }

  /** Finds a field of an object that is neither public nor variable, to set it. */
  Member privateSetter(Class<?> owner, String name, Class<?> type) throws RapidsMismatchException {
    try {
      Field field = owner.getDeclaredField(name);
      field.setAccessible(true);
      return new Member(
          text(owner, name),
          lookup.unreflectSetter(field).asType(MethodType.methodType(void.class, owner, type)));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      throw missing(owner, name, type, e);
    }
  }

  /** The first variable of this type that a lambda has captured. */
  static Optional<Object> captured(Object lambda, Class<?> type) {
    for (Field field : lambda.getClass().getDeclaredFields()) {
      try {
        field.setAccessible(true);
        Object value = field.get(lambda);
        if (type.isInstance(value)) {
          return Optional.of(value);
        }
      } catch (IllegalAccessException | RuntimeException e) {
        return Optional.empty();
      }
    }
    return Optional.empty();
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
