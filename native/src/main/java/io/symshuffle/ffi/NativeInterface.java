// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The functions of a library as a Java interface, with one method per C function: the interface is
 * the binding, its comments are the C prototypes, and a test can implement it by hand. A method has
 * the name of its function or names it with {@link Symbol}. C's {@code int} and {@code unsigned}
 * are {@code int}; {@code long}, {@code size_t}, handles and opaque addresses are {@code long}; a
 * pointer to memory that Java allocates is a {@link MemorySegment}.
 *
 * <p>The implementation is a {@link Proxy}. A call costs some 10 to 20 ns more than one through a
 * static final handle, which is little for a call of the kernel, CUDA or NVSHMEM. A method whose
 * function is missing throws {@link UnsatisfiedLinkError} with the reason when it is called.
 *
 * @param calls the library's functions
 * @param missing reasons of the missing functions, by name; empty when all were found
 */
public record NativeInterface<T>(T calls, Map<String, String> missing) {

  public NativeInterface {
    missing = Map.copyOf(missing);
  }

  /**
   * Binds an interface. Each function is looked up now, but linked when it is first called, since
   * that takes milliseconds.
   */
  public static <T> NativeInterface<T> bind(NativeLibrary library, Class<T> type) {
    Map<String, String> missing = new TreeMap<>();
    for (Method method : type.getMethods()) {
      library.absenceOf(symbol(method)).ifPresent(reason -> missing.put(symbol(method), reason));
    }
    Map<Method, MethodHandle> linked = new ConcurrentHashMap<>();
    InvocationHandler calls =
        (proxy, method, arguments) -> {
          if (method.getDeclaringClass() == Object.class) {
            return method.invoke(linked, arguments);
          }
          MethodHandle handle = linked.get(method);
          if (handle == null) {
            handle = linked.computeIfAbsent(method, m -> link(library, m));
          }
          return (Object) handle.invokeExact(arguments);
        };
    Object proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls);
    return new NativeInterface<>(type.cast(proxy), missing);
  }

  private static MethodHandle link(NativeLibrary library, Method method) {
    String name = symbol(method);
    library
        .absenceOf(name)
        .ifPresent(
            reason -> {
              throw new UnsatisfiedLinkError("%s cannot be called: %s".formatted(name, reason));
            });
    return withArray(library.function(name, descriptor(method), options(method)));
  }

  /** Returns a handle that takes all arguments in an array, which is null if there are none. */
  private static MethodHandle withArray(MethodHandle handle) {
    return handle
        .asSpreader(Object[].class, handle.type().parameterCount())
        .asType(MethodType.methodType(Object.class, Object[].class));
  }

  /** Returns why the first missing one of these functions is missing; empty when all are there. */
  public Optional<String> absence(String... names) {
    return Arrays.stream(names).filter(missing::containsKey).map(missing::get).findFirst();
  }

  private static String symbol(Method method) {
    Symbol symbol = method.getAnnotation(Symbol.class);
    return symbol == null ? method.getName() : symbol.value();
  }

  private static Linker.Option[] options(Method method) {
    SetsErrno errno = method.getAnnotation(SetsErrno.class);
    if (errno == null) {
      return new Linker.Option[0];
    }
    Linker.Option captured = Linker.Option.captureCallState("errno");
    return errno.fixedParameters() < 0
        ? new Linker.Option[] {captured}
        : new Linker.Option[] {captured, Linker.Option.firstVariadicArg(errno.fixedParameters())};
  }

  private static FunctionDescriptor descriptor(Method method) {
    MemoryLayout[] arguments =
        Arrays.stream(method.getParameters())
            .skip(method.isAnnotationPresent(SetsErrno.class) ? 1 : 0)
            .map(NativeInterface::layout)
            .toArray(MemoryLayout[]::new);
    return method.getReturnType() == void.class
        ? FunctionDescriptor.ofVoid(arguments)
        : FunctionDescriptor.of(layout(method.getReturnType()), arguments);
  }

  private static MemoryLayout layout(Parameter parameter) {
    ByteStruct struct = parameter.getAnnotation(ByteStruct.class);
    return struct == null
        ? layout(parameter.getType())
        : MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(struct.value(), ValueLayout.JAVA_BYTE));
  }

  private static MemoryLayout layout(Class<?> type) {
    if (type == int.class) {
      return ValueLayout.JAVA_INT;
    }
    if (type == long.class) {
      return ValueLayout.JAVA_LONG;
    }
    if (type == byte.class) {
      return ValueLayout.JAVA_BYTE;
    }
    if (type == MemorySegment.class) {
      return ValueLayout.ADDRESS;
    }
    throw new IllegalArgumentException("no C type corresponds to " + type);
  }
}
