// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NativeInterfaceTest {
  interface C {
    @Symbol("strlen")
    long length(MemorySegment text);

    // int abs(int j);
    int abs(int number);

    // pid_t getpid(void);
    int getpid();

    // int dup(int oldfd);
    @SetsErrno
    int dup(MemorySegment errno, int fd);

    // int snprintf(char *s, size_t n, const char *format, ...);
    @SetsErrno(fixedParameters = 3)
    int snprintf(
        MemorySegment errno, MemorySegment to, long bytes, MemorySegment format, int value);

    @Symbol("no_such_function")
    long absent(int a, long b, MemorySegment c);
  }

  private final NativeInterface<C> bound = NativeInterface.bind(NativeLibrary.ofProcess(), C.class);

  @Test
  void callsFunctionsByNameAndBySymbol() {
    try (Arena arena = Arena.ofConfined()) {
      assertEquals(5, bound.calls().length(Segments.allocateString(arena, "seven")));
    }
    assertEquals(7, bound.calls().abs(-7));
    assertEquals(ProcessHandle.current().pid(), bound.calls().getpid());
  }

  @Test
  void capturesErrno() {
    try (SystemCall call = new SystemCall()) {
      assertEquals(-1, bound.calls().dup(call.state(), -1));
      assertTrue(call.failedWith(Errno.EBADF), Errno.describe(call.errno()));
    }
  }

  @Test
  void callsVariadicFunctions() {
    try (SystemCall call = new SystemCall()) {
      MemorySegment to = call.arena().allocate(16);
      MemorySegment format = Segments.allocateString(call.arena(), "<%d>");
      assertEquals(5, bound.calls().snprintf(call.state(), to, to.byteSize(), format, -12));
      assertEquals("<-12>", Segments.getString(to, 0));
    }
  }

  @Test
  void missingFunctionIsReportedAndThrowsWhenCalled() {
    assertEquals(
        Map.of("no_such_function", "the C library has no function no_such_function"),
        bound.missing());
    assertEquals(Optional.empty(), bound.absence("strlen", "abs"));
    assertTrue(bound.absence("strlen", "no_such_function").isPresent());
    UnsatisfiedLinkError error =
        assertThrows(
            UnsatisfiedLinkError.class, () -> bound.calls().absent(1, 2, MemorySegment.NULL));
    assertEquals(
        "no_such_function cannot be called: the C library has no function no_such_function",
        error.getMessage());
  }

  @Test
  void setsUnsetVariablesOnly() {
    assertEquals(Optional.empty(), ProcessEnvironment.get("SYMSHUFFLE_TEST_UNSET"));
    assertTrue(ProcessEnvironment.setIfUnset("SYMSHUFFLE_TEST_SET", "one"));
    assertFalse(ProcessEnvironment.setIfUnset("SYMSHUFFLE_TEST_SET", "two"));
    assertEquals(Optional.of("one"), ProcessEnvironment.get("SYMSHUFFLE_TEST_SET"));
  }
}
