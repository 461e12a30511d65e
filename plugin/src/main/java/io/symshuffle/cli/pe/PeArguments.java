// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of a PE's process.
 *
 * @param folder a private folder that the PEs of the job share
 * @param token the heap folder's token, in hexadecimal
 * @param more further arguments, specific to the job
 */
public record PeArguments(
    Backend backend, int pe, int peCount, Path folder, String token, List<String> more) {

  public PeArguments {
    more = List.copyOf(more);
  }

  /** Parses the arguments. */
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
