// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.ApplicationSpec;
import io.symshuffle.benchmarks.launch.MemoryGroup;
import io.symshuffle.benchmarks.report.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/** Where the applications of a soak run, and what suits that place. */
interface ChaosSite {
  /**
   * A started application with faults.
   *
   * @param application closed first
   * @param local the folder below which executors write runs
   * @param end ends what else was started for it
   */
  record Target(
      Application application, Supplier<List<ProcessHandle>> executors, Path local, Runnable end)
      implements AutoCloseable {
    @Override
    public void close() {
      try {
        application.close();
      } finally {
        end.run();
      }
    }
  }

  /** Returns a description for reports. */
  String where();

  /** Returns the settings and faults of the application with a number; the kinds alternate. */
  ChaosRound round(long number);

  List<String> queries(Random random);

  /** Returns the application without faults, whose answers are right. */
  ApplicationSpec reference(Path folder);

  /**
   * Returns a control group for an application with faults. There is none if its executors are
   * children of workers, which are children of this process.
   */
  default Optional<MemoryGroup> memoryGroup() {
    return Optional.empty();
  }

  /** Returns whether calls of the C library may fail in executors. */
  boolean mayFailCalls();

  /**
   * Starts an application with faults.
   *
   * @param group what {@link #memoryGroup} returned
   * @param folder for logs and the files of executors
   */
  Target start(
      String name,
      Map<String, String> settings,
      Optional<MemoryGroup> group,
      Path folder,
      Console console);

  /**
   * Checks that an application still does what the round is about.
   *
   * @return what is wrong, a sentence; empty if nothing is
   */
  Optional<String> objection(Application application) throws IOException;

  /** Returns memory in use on the GPUs, of all processes, in bytes; 0 without GPUs. */
  long gpuBytes();
}
