// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NativeLibraryTest {
  @Test
  void loadsTheFirstLibraryThatExists() {
    NativeLibrary found = NativeLibrary.open(List.of("libnone.so.9", "libc.so.6"));

    assertEquals("libc.so.6", found.name());
    assertEquals(Optional.empty(), found.absence());
  }

  @Test
  void absentLibraryHasTheLoadersReasons() {
    NativeLibrary absent = NativeLibrary.open(List.of("libnone.so.9", "/none/libnone.so"));

    String reason = absent.absence().orElseThrow();
    assertTrue(reason.contains("libnone.so.9: cannot open shared object file"), reason);
    assertTrue(reason.contains("; /none/libnone.so: cannot open shared object file"), reason);
  }
}
