// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.process.ChildProcess;
import java.util.List;

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
    String absence, String name, String version, String folder, List<String> copies) {
  static NvshmemFacts absent(String reason) {
    return new NvshmemFacts(reason, "", "", "", List.of());
  }

  /** Returns what a child process printed; absent, with its ending, if it failed. */
  static NvshmemFacts parse(ChildProcess.Result outcome) {
    return FactLine.parse(outcome, NvshmemFacts.class)
        .orElseGet(() -> absent("loading NVSHMEM " + outcome.ending()));
  }
}
