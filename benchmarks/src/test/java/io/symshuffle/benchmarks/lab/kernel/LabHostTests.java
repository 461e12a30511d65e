// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import io.symshuffle.kernel.HostTests;
import java.nio.file.Path;
import java.util.List;

/** The logic of the lab's kernels, compiled for the host. */
final class LabHostTests {
  private static final Path NATIVE = Path.of("..", "native", "src");
  private static final Path HERE = Path.of("src");

  static final HostTests PROGRAM =
      new HostTests(
          Path.of("target", "kernel-host-tests"),
          List.of(
              HERE.resolve("main/cuda"),
              HERE.resolve("test/cuda"),
              NATIVE.resolve("main/cuda"),
              NATIVE.resolve("test/cuda")),
          List.of(HERE.resolve("test/cuda"), NATIVE.resolve("test/cuda/main.cpp")));

  private LabHostTests() {}
}
