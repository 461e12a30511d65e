// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;
import java.util.function.Function;

/**
 * Looks at one thing.
 *
 * @param title what it looks at, in two or three words
 * @param problems everything that it can find wrong, for the documentation
 * @param examination looks at a machine and returns at least one finding; does not throw for what
 *     it finds, and takes a bounded time
 */
record Check(String title, List<KnownProblem> problems, Function<Host, List<Finding>> examination) {
  List<Finding> examine(Host host) {
    return examination.apply(host);
  }
}
