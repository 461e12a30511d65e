// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import java.util.List;
import java.util.Map;

/** How the process of an application is started. */
interface StartCommand {
  /** The program and its arguments, for an application that is to connect to this loopback port. */
  List<String> line(int port);

  /** What is added to the environment, the token among it. */
  Map<String, String> environment(String token);
}
