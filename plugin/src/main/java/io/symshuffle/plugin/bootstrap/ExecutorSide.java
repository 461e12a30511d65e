// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** What an executor takes from Spark beyond the plugin interface. */
interface ExecutorSide {
  /** Whether driver and executor are one process. */
  boolean isLocal();

  /** Where this executor runs. */
  HostIdentity host();

  /** How many cores the cluster gave to this executor, if that can be known. */
  OptionalInt cores();

  /** The GPUs that Spark has given to this executor; none if it manages none. */
  List<String> gpuAddresses();

  /** An existing folder on disk that is this executor's to use. */
  Path localDir();

  /**
   * Lets the driver reach this executor.
   *
   * @param onMessage gets what the driver sends
   * @param onDriverGone is told when the connection to the driver breaks
   * @return the address to give to the driver; empty if that did not work
   */
  Optional<Object> openPushEndpoint(Consumer<Message> onMessage, Runnable onDriverGone);
}
