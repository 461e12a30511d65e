// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import java.util.List;
import java.util.Map;

/** The command that starts the process of an application. */
interface StartCommand {
  /** Returns program and arguments for an application that connects to this loopback port. */
  List<String> line(int port);

  /** Returns variables to add to the environment, including the token. */
  Map<String, String> environment(String token);
}
