// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A shared library, found or absent with a reason that callers can show. A library that was found
 * stays loaded for the life of the process. {@link NativeInterface} calls its functions.
 *
 * @param name the name it was loaded by, or the names that were tried
 * @param symbols its symbols; none if it is absent
 * @param absence why it is absent, a sentence without a period; empty when it was found
 */
public record NativeLibrary(String name, SymbolLookup symbols, Optional<String> absence) {
  /** Returns the libraries that every process has loaded, such as the C library. */
  static NativeLibrary ofProcess() {
    return new NativeLibrary(
        "the C library", Linker.nativeLinker().defaultLookup(), Optional.empty());
  }

  /**
   * Loads the first library of a list that can be loaded.
   *
   * @param candidates file names for the dynamic loader's search, or absolute paths
   * @return the library; or an absent one, with the loader's message for each candidate
   */
  @SuppressWarnings("restricted")
  public static NativeLibrary open(List<String> candidates) {
    List<String> reasons = new ArrayList<>();
    for (String candidate : candidates) {
      try {
        return new NativeLibrary(
            candidate, SymbolLookup.libraryLookup(candidate, Arena.global()), Optional.empty());
      } catch (IllegalArgumentException e) {
        reasons.add(loaderError(candidate).orElse(e.getMessage()));
      }
    }
    return new NativeLibrary(
        String.join(", ", candidates),
        symbol -> Optional.empty(),
        Optional.of(String.join("; ", reasons)));
  }

  /**
   * Returns the dynamic loader's reason why a library cannot be loaded; empty when it gives none.
   */
  private static Optional<String> loaderError(String library) {
    try (Arena arena = Arena.ofConfined()) {
      // Clears earlier errors.
      Libc.C.dlerror();
      return Libc.C.dlopen(Segments.allocateString(arena, library), LinuxAbi.RTLD_LAZY) != 0
          ? Optional.empty()
          : Optional.of(NativeMemory.string(Libc.C.dlerror())).filter(text -> !text.isEmpty());
    } catch (UnsatisfiedLinkError e) {
      return Optional.empty();
    }
  }

  /** Returns why the library does not have a function; empty if it does. */
  Optional<String> absenceOf(String function) {
    return symbols.find(function).isPresent()
        ? Optional.empty()
        : Optional.of(absence.orElse(name + " has no function " + function));
  }

  @SuppressWarnings("restricted")
  MethodHandle function(String function, FunctionDescriptor descriptor, Linker.Option... options) {
    return Linker.nativeLinker()
        .downcallHandle(symbols.find(function).orElseThrow(), descriptor, options);
  }
}
