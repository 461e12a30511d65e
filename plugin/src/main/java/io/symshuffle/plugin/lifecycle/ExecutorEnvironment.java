// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.plugin.membership.HostIdentity;
import io.symshuffle.plugin.membership.Message;
import io.symshuffle.shuffle.output.DiskEncryption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What an executor needs from Spark beyond the plugin interface. */
interface ExecutorEnvironment {
  /** Whether driver and executor are one process. */
  boolean isLocal();

  /** Where this executor runs. */
  HostIdentity host();

  /** How many cores the cluster gave to this executor; 0 if unknown. */
  int cores();

  /** The GPUs that Spark has assigned to this executor; none if it manages none. */
  List<String> gpuAddresses();

  /** Existing folders on disk that this executor may use, at least one. */
  List<Path> localDirs();

  /** How files must be encrypted; empty if Spark does not encrypt its own. */
  Optional<DiskEncryption> diskEncryption();

  /**
   * Lets the driver reach this executor.
   *
   * @param onDriverGone called when the connection to the driver breaks
   * @return the address for the driver; empty if that did not work
   */
  Optional<Object> openPushEndpoint(Consumer<Message> onMessage, Runnable onDriverGone);
}
