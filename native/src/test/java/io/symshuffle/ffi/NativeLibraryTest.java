// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NativeLibraryTest {
  private static final FunctionDescriptor STRLEN = FunctionDescriptor.of(JAVA_LONG, ADDRESS);

  @Test
  void bindsAFunctionOfTheProcess() throws Throwable {
    NativeFunction strlen = NativeLibrary.ofProcess().function("strlen", STRLEN);

    assertEquals(Optional.empty(), strlen.absence());
    try (Arena arena = Arena.ofConfined()) {
      assertEquals(4L, (long) strlen.handle().invokeExact(Segments.allocateString(arena, "four")));
    }
  }

  @Test
  void loadsTheFirstLibraryThatExists() {
    NativeLibrary found = NativeLibrary.open(List.of("libnone.so.9", "libc.so.6"));

    assertEquals("libc.so.6", found.name());
    assertEquals(Optional.empty(), found.absence());
  }

  @Test
  void absentLibraryHasTheLoadersReasons() {
    NativeLibrary absent = NativeLibrary.open(List.of("libnone.so.9", "/none/libnone.so"));

    assertInstanceOf(NativeLibrary.Absent.class, absent);
    String reason = absent.absence().orElseThrow();
    assertTrue(reason.contains("libnone.so.9: cannot open shared object file"), reason);
    assertTrue(reason.contains("; /none/libnone.so: cannot open shared object file"), reason);
    assertEquals(absent.absence(), absent.function("f", STRLEN).absence());
  }

  @Test
  void missingFunctionThrowsWhenCalled() {
    NativeFunction none = NativeLibrary.ofProcess().function("no_such_function", STRLEN);

    assertEquals("the C library has no function no_such_function", none.absence().orElseThrow());
    MethodHandle handle = none.handle();
    for (int call = 0; call < 2; call++) {
      UnsatisfiedLinkError e =
          assertThrows(
              UnsatisfiedLinkError.class,
              () -> {
                long unused = (long) handle.invokeExact(MemorySegment.NULL);
              });
      assertEquals(
          "no_such_function cannot be called: the C library has no function no_such_function",
          e.getMessage());
    }
  }

  @Test
  void handleOfAMissingFunctionHasTheDeclaredType() {
    FunctionDescriptor plain = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS);
    FunctionDescriptor none = FunctionDescriptor.ofVoid();
    FunctionDescriptor struct =
        FunctionDescriptor.of(MemoryLayout.structLayout(JAVA_INT, JAVA_INT), JAVA_INT, JAVA_INT);
    Linker.Option errno = Linker.Option.captureCallState("errno");
    for (FunctionDescriptor descriptor : List.of(plain, none, struct)) {
      for (Linker.Option[] options : List.of(new Linker.Option[0], new Linker.Option[] {errno})) {
        assertEquals(
            NativeLibrary.ofProcess().function("div", descriptor, options).handle().type(),
            NativeLibrary.ofProcess().function("none", descriptor, options).handle().type());
      }
    }
  }
}
