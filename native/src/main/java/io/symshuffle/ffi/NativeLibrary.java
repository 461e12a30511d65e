// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.util.Objects.requireNonNull;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A shared library, found or absent with a reason that callers can show. A library that was found
 * stays loaded for the life of the process.
 */
public sealed interface NativeLibrary {

  /** {@return the name it was loaded by, or the names that were tried} */
  String name();

  /** {@return why it is absent, a sentence without a period; empty when it was found} */
  Optional<String> absence();

  /**
   * Looks up a function.
   *
   * @param function its C name
   * @param descriptor its C signature
   * @param options linker options; never {@code critical} for a function that may block
   * @return the function, bound or missing with the reason
   */
  NativeFunction function(String function, FunctionDescriptor descriptor, Linker.Option... options);

  /** {@return the libraries that every process has loaded, such as the C library} */
  static NativeLibrary ofProcess() {
    return new Found("the C library", Linker.nativeLinker().defaultLookup());
  }

  /**
   * Loads the first library of a list that can be loaded.
   *
   * @param candidates file names for the dynamic loader's search, or absolute paths
   * @return the library; or an absent one, with the loader's message for each candidate
   */
  @SuppressWarnings("restricted")
  static NativeLibrary open(List<String> candidates) {
    requireNonNull(candidates, "candidates is null");
    List<String> reasons = new ArrayList<>();
    for (String candidate : candidates) {
      try {
        return new Found(candidate, SymbolLookup.libraryLookup(candidate, Arena.global()));
      } catch (IllegalArgumentException e) {
        reasons.add(Libc.loaderError(candidate).orElse(e.getMessage()));
      }
    }
    return new Absent(String.join(", ", candidates), String.join("; ", reasons));
  }

  /**
   * A library that was found.
   *
   * @param name the name it was loaded by
   * @param lookup its symbols
   */
  record Found(String name, SymbolLookup lookup) implements NativeLibrary {
    @Override
    public Optional<String> absence() {
      return Optional.empty();
    }

    @Override
    @SuppressWarnings("restricted")
    public NativeFunction function(
        String function, FunctionDescriptor descriptor, Linker.Option... options) {
      return lookup
          .find(function)
          .<NativeFunction>map(
              address ->
                  new NativeFunction.Bound(
                      function, Linker.nativeLinker().downcallHandle(address, descriptor, options)))
          .orElseGet(
              () ->
                  new NativeFunction.Missing(
                      function,
                      name + " has no function " + function,
                      NativeFunction.handleType(descriptor, options)));
    }
  }

  /**
   * A library that was not found.
   *
   * @param name the names that were tried
   * @param reason why it is absent
   */
  record Absent(String name, String reason) implements NativeLibrary {
    @Override
    public Optional<String> absence() {
      return Optional.of(reason);
    }

    @Override
    public NativeFunction function(
        String function, FunctionDescriptor descriptor, Linker.Option... options) {
      return new NativeFunction.Missing(
          function, reason, NativeFunction.handleType(descriptor, options));
    }
  }
}
