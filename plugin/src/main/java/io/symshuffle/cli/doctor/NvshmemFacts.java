// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.process.ChildProcess;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What was found of NVSHMEM on this machine.
 *
 * @param absence why it cannot be used, a sentence; empty if it can
 * @param name path of the library that was loaded, or of the last one that was tried
 * @param version for example {@code 3.4.5}; empty if it could not be loaded
 * @param folder the library's folder; empty if unknown
 * @param copies all paths where the library was found
 */
record NvshmemFacts(
    Optional<String> absence, String name, String version, String folder, List<String> copies) {
  static NvshmemFacts absent(String reason) {
    return new NvshmemFacts(Optional.of(reason), "", "", "", List.of());
  }

  /** Returns the facts as a line for {@link #parse}. */
  String toLine() {
    return FactLine.of(
        "nvshmem", absence.orElse(""), name, version, folder, String.join(":", copies));
  }

  /** Returns what a child process printed; absent, with its ending, if it failed. */
  static NvshmemFacts parse(ChildProcess.Result outcome) {
    for (String line : outcome.lines()) {
      Optional<String[]> fields = FactLine.parse(line);
      if (outcome.passed() && fields.isPresent() && fields.get()[0].equals("nvshmem")) {
        String[] f = fields.get();
        return new NvshmemFacts(
            Optional.of(f[1]).filter(text -> !text.isEmpty()),
            f[2],
            f[3],
            f[4],
            Arrays.stream(f[5].split(":", -1)).filter(copy -> !copy.isEmpty()).toList());
      }
    }
    return absent("loading NVSHMEM " + outcome.ending());
  }
}
