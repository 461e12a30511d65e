// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.constant.ConstantDescs.CD_MethodHandle;
import static java.lang.constant.ConstantDescs.CD_MethodHandles;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.DEFAULT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;
import static java.util.Objects.requireNonNull;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The functions of a library as a Java interface, with one method per C function: the interface is
 * the binding, its comments are the C prototypes, and a test can implement it by hand. A method has
 * the name of its function or names it with {@link Symbol}. C's {@code int} and {@code unsigned}
 * are {@code int}; {@code long}, {@code size_t}, handles and opaque addresses are {@code long}; a
 * pointer to memory that Java allocates is a {@link MemorySegment}.
 *
 * <p>The implementation is a hidden class whose methods call constant handles, so that a call costs
 * no more than one through a static final handle. A method whose function is missing throws {@link
 * UnsatisfiedLinkError} with the reason when it is called.
 *
 * @param calls the library's functions
 * @param missing reasons of the missing functions, by name; empty when all were found
 * @param <T> the interface
 */
public record NativeInterface<T>(T calls, Map<String, String> missing) {

  /** Copies the map. */
  public NativeInterface {
    requireNonNull(calls, "calls is null");
    missing = Map.copyOf(missing);
  }

  /**
   * Binds every method of an interface.
   *
   * @param library the library that should have the functions
   * @param lookup {@code MethodHandles.lookup()} of a class in the interface's package
   * @param type the interface; only its abstract methods are bound
   * @return its implementation and the missing functions
   * @param <T> the interface
   */
  public static <T> NativeInterface<T> bind(
      NativeLibrary library, MethodHandles.Lookup lookup, Class<T> type) {
    List<Method> methods =
        Arrays.stream(type.getMethods())
            .filter(method -> Modifier.isAbstract(method.getModifiers()))
            .sorted(Comparator.comparing(NativeInterface::symbol))
            .toList();
    List<MethodHandle> handles = new ArrayList<>();
    Map<String, String> missing = new TreeMap<>();
    for (Method method : methods) {
      NativeFunction function = library.function(symbol(method), descriptor(method));
      function.absence().ifPresent(reason -> missing.put(symbol(method), reason));
      handles.add(function.handle());
    }
    try {
      MethodHandles.Lookup hidden =
          lookup.defineHiddenClassWithClassData(implementation(type, methods), handles, true);
      Object calls = hidden.lookupClass().getConstructor().newInstance();
      return new NativeInterface<>(type.cast(calls), missing);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot implement " + type, e);
    }
  }

  /**
   * Returns the reason of the first missing function among some.
   *
   * @param names C names
   * @return why it is missing; empty when all were found
   */
  public Optional<String> absence(String... names) {
    return Arrays.stream(names).filter(missing::containsKey).map(missing::get).findFirst();
  }

  private static String symbol(Method method) {
    Symbol symbol = method.getAnnotation(Symbol.class);
    return symbol == null ? method.getName() : symbol.value();
  }

  private static FunctionDescriptor descriptor(Method method) {
    MemoryLayout[] arguments =
        Arrays.stream(method.getParameters())
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

  private static byte[] implementation(Class<?> type, List<Method> methods) {
    ClassDesc name = ClassDesc.of(type.getName() + "Binding");
    return ClassFile.of()
        .build(
            name,
            builder -> {
              builder
                  .withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
                  .withInterfaceSymbols(type.describeConstable().orElseThrow())
                  .withMethodBody(
                      INIT_NAME,
                      MTD_void,
                      ClassFile.ACC_PUBLIC,
                      code ->
                          code.aload(0).invokespecial(CD_Object, INIT_NAME, MTD_void).return_());
              for (int i = 0; i < methods.size(); i++) {
                addCall(builder, methods.get(i), i);
              }
            });
  }

  private static void addCall(ClassBuilder builder, Method method, int index) {
    MethodTypeDesc type =
        MethodType.methodType(method.getReturnType(), method.getParameterTypes())
            .describeConstable()
            .orElseThrow();
    DynamicConstantDesc<?> handle =
        DynamicConstantDesc.ofNamed(CLASS_DATA_AT, DEFAULT_NAME, CD_MethodHandle, index);
    builder.withMethodBody(
        method.getName(),
        type,
        ClassFile.ACC_PUBLIC,
        code -> {
          code.loadConstant(handle);
          int slot = 1;
          for (ClassDesc parameter : type.parameterList()) {
            TypeKind kind = TypeKind.from(parameter);
            code.loadLocal(kind, slot);
            slot += kind.slotSize();
          }
          code.invokevirtual(CD_MethodHandle, "invokeExact", type)
              .return_(TypeKind.from(type.returnType()));
        });
  }

  private static final DirectMethodHandleDesc CLASS_DATA_AT =
      ConstantDescs.ofConstantBootstrap(CD_MethodHandles, "classDataAt", CD_Object, CD_int);
}
