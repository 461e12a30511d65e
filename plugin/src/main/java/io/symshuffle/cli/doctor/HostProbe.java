// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.heap.host.HeapPlace;
import io.symshuffle.heap.host.MemoryLimits;
import io.symshuffle.nvshmem.BootstrapInterface;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.util.List;

/** What the checks ask about a machine beyond its files. Each answer takes a bounded time. */
interface HostProbe {
  /**
   * How the host's own name resolves.
   *
   * @param name the name according to the kernel
   * @param addresses what it resolves to; none if it does not
   * @param loopback whether all of them are loopback addresses
   */
  record HostName(String name, List<String> addresses, boolean loopback, double seconds) {}

  /** Returns the Java version of this process. */
  Runtime.Version javaVersion();

  /** Returns a system property, empty if it is not set. */
  String property(String name);

  /** Returns a folder as a place for the heap. */
  HeapPlace place(Path folder, String setting);

  /** Returns how much memory is available. */
  MemoryLimits memory();

  /** Returns how the host's own name resolves. */
  HostName hostName();

  /** Returns the network interfaces that are up. */
  List<BootstrapInterface> networkLinks();

  /** Returns the driver and the GPUs, queried in a child process. */
  GpuFacts gpus();

  /** Returns NVSHMEM's library, loaded in a child process. */
  NvshmemFacts nvshmem();

  /**
   * Returns how the command {@code ring} ended with this backend and number of PEs.
   *
   * @param folder where the files that they share are
   */
  ChildProcess.Result ring(Backend backend, int pes, Path folder);
}
