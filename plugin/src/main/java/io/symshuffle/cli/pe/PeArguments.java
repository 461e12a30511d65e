// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a PE's process is started with.
 *
 * @param backend which heap
 * @param pe its number
 * @param peCount number of PEs
 * @param folder a private folder that all PEs share
 * @param token the heap folder's token, in hexadecimal
 * @param more what only the job knows
 */
public record PeArguments(
    Backend backend, int pe, int peCount, Path folder, String token, List<String> more) {

  /** Copies. */
  public PeArguments {
    more = List.copyOf(more);
  }

  /**
   * Reads them.
   *
   * @param arguments of the main class
   * @return them
   */
  public static PeArguments parse(String[] arguments) {
    return new PeArguments(
        Backend.valueOf(arguments[0]),
        Integer.parseInt(arguments[1]),
        Integer.parseInt(arguments[2]),
        Path.of(arguments[3]),
        arguments[4],
        List.of(arguments).subList(5, arguments.length));
  }

  List<String> toList() {
    List<String> list = new ArrayList<>();
    list.add(backend.name());
    list.add(Integer.toString(pe));
    list.add(Integer.toString(peCount));
    list.add(folder.toString());
    list.add(token);
    list.addAll(more);
    return list;
  }
}
