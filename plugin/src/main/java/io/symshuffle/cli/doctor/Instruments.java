// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.heap.HeapPlace;
import io.symshuffle.heap.MemoryLimits;
import java.nio.file.Path;
import java.util.List;

/** What the checks ask of a machine beyond its files. Each answer is bounded in time. */
interface Instruments {
  /** {@return the Java of this process} */
  Runtime.Version javaVersion();

  /** {@return system property, empty text if it is not set} */
  String property(String name);

  /** {@return a folder as a place for the heap} */
  HeapPlace place(Path folder, String setting);

  /** {@return what memory is left} */
  MemoryLimits memory();

  /** {@return how the own host name resolves} */
  HostName hostName();

  /** {@return the network interfaces that are up} */
  List<NetworkFace> networkFaces();

  /** {@return driver and GPUs, asked in a process of its own} */
  GpuFacts gpus();

  /** {@return the library, loaded in a process of its own} */
  NvshmemFacts nvshmem();

  /** {@return how the command {@code ring} ended with this heap and so many PEs} */
  ChildOutcome ring(Backend backend, int pes);
}
