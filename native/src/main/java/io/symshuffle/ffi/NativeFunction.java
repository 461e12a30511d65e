// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;

/**
 * A C function, bound or missing with a reason. Binding classes keep {@link #handle()} in a static
 * final field, which makes calls fast. The handle of a missing function throws an {@link
 * UnsatisfiedLinkError} with the reason on each call, so that static initializers never fail.
 */
public sealed interface NativeFunction {

  /** {@return its C name} */
  String name();

  /** {@return why it is missing; empty when it is bound} */
  Optional<String> absence();

  /**
   * {@return the handle to call, of the type that the linker derives from descriptor and options}
   */
  MethodHandle handle();

  /**
   * A function that was found.
   *
   * @param name its C name
   * @param handle the handle to call
   */
  record Bound(String name, MethodHandle handle) implements NativeFunction {
    @Override
    public Optional<String> absence() {
      return Optional.empty();
    }
  }

  /**
   * A function that was not found.
   *
   * @param name its C name
   * @param reason why it is missing
   * @param type the type that its handle would have
   */
  record Missing(String name, String reason, MethodType type) implements NativeFunction {
    @Override
    public Optional<String> absence() {
      return Optional.of(reason);
    }

    /** {@return a handle that throws on each call} */
    @Override
    public MethodHandle handle() {
      MethodHandle error =
          MethodHandles.insertArguments(ERROR, 0, name + " cannot be called: " + reason);
      MethodHandle thrower =
          MethodHandles.throwException(type.returnType(), UnsatisfiedLinkError.class);
      return MethodHandles.dropArguments(
          MethodHandles.collectArguments(thrower, 0, error), 0, type.parameterList());
    }

    private static final MethodHandle ERROR = constructor();

    private static MethodHandle constructor() {
      try {
        return MethodHandles.publicLookup()
            .findConstructor(
                UnsatisfiedLinkError.class, MethodType.methodType(void.class, String.class));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("UnsatisfiedLinkError has no constructor with a String", e);
      }
    }
  }

  /**
   * Returns the type that the linker gives to a handle.
   *
   * @param descriptor the C signature
   * @param options the linker options
   * @return the type, without the leading address parameter of handles that are not bound to an
   *     address
   */
  static MethodType handleType(FunctionDescriptor descriptor, Linker.Option... options) {
    MethodType type = descriptor.toMethodType();
    for (Linker.Option option : options) {
      if (option.toString().startsWith("CaptureCallState")) {
        type = type.insertParameterTypes(0, MemorySegment.class);
      }
    }
    if (descriptor.returnLayout().filter(GroupLayout.class::isInstance).isPresent()) {
      type = type.insertParameterTypes(0, SegmentAllocator.class);
    }
    return type;
  }
}
