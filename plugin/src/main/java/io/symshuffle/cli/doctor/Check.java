// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;

/** Looks at one thing. Never throws for what it finds, and takes a bounded time. */
interface Check {
  /** {@return what it looks at, two or three words} */
  String title();

  /** {@return everything that it can find wrong, for the documentation} */
  List<Ailment> ailments();

  /**
   * Looks.
   *
   * @param host the machine
   * @return one finding or more
   */
  List<Finding> examine(Host host);
}
