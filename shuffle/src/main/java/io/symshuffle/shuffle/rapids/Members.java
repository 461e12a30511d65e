// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import java.lang.invoke.MethodHandle;
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
    MethodType type = MethodType.methodType(returns, parameters);
    return member(owner, name, returns, () -> lookup.findVirtual(owner, name, type), parameters);
  }

  Member staticMethod(Class<?> owner, String name, Class<?> returns, Class<?>... parameters)
      throws RapidsMismatchException {
    MethodType type = MethodType.methodType(returns, parameters);
    return member(owner, name, returns, () -> lookup.findStatic(owner, name, type), parameters);
  }

  Member constructor(Class<?> owner, Class<?>... parameters) throws RapidsMismatchException {
    MethodType type = MethodType.methodType(void.class, parameters);
    return member(owner, "new", owner, () -> lookup.findConstructor(owner, type), parameters);
  }

  Member staticField(Class<?> owner, String name, Class<?> type) throws RapidsMismatchException {
    return member(owner, name, type, () -> lookup.findStaticGetter(owner, name, type));
  }

  /** Finds a static field that is not public, to set it. */
  Member privateStaticSetter(Class<?> owner, String name, Class<?> type)
      throws RapidsMismatchException {
    return member(owner, name, type, () -> inside(owner).findStaticSetter(owner, name, type));
  }

  /** Finds a method of an object that is not public. */
  Member privateMethod(Class<?> owner, String name, Class<?> returns, Class<?>... parameters)
      throws RapidsMismatchException {
    MethodType type = MethodType.methodType(returns, parameters);
    return member(
        owner, name, returns, () -> inside(owner).findVirtual(owner, name, type), parameters);
  }

  /** Finds a field of an object that is not public, to get it. */
  Member privateField(Class<?> owner, String name, Class<?> type) throws RapidsMismatchException {
    return member(owner, name, type, () -> inside(owner).findGetter(owner, name, type));
  }

  /** Finds a field of an object that is neither public nor variable, to set it. */
  Member privateSetter(Class<?> owner, String name, Class<?> type) throws RapidsMismatchException {
    return member(
        owner,
        name,
        type,
        () -> {
          Field field = owner.getDeclaredField(name);
          field.setAccessible(true);
          return lookup
              .unreflectSetter(field)
              .asType(MethodType.methodType(void.class, owner, type));
        });
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

  @FunctionalInterface
  private interface Finder {
    MethodHandle find() throws ReflectiveOperationException;
  }

  private static Member member(
      Class<?> owner, String name, Class<?> type, Finder finder, Class<?>... parameters)
      throws RapidsMismatchException {
    String text =
        "%s.%s(%s)"
            .formatted(
                owner.getSimpleName(),
                name,
                Arrays.stream(parameters)
                    .map(Class::getSimpleName)
                    .collect(Collectors.joining(", ")));
    try {
      return new Member(text, finder.find());
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      throw new RapidsMismatchException("it has no %s %s".formatted(type.getSimpleName(), text), e);
    }
  }

  private static MethodHandles.Lookup inside(Class<?> owner) throws IllegalAccessException {
    return MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
  }
}
