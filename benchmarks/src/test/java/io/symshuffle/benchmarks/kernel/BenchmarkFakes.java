// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import io.symshuffle.fake.FakeLibraries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The benchmarks' kernels in the fake driver. */
public final class BenchmarkFakes {
  /** The fake driver loads the benchmarks' kernels from an image that starts with this byte. */
  static final byte[] IMAGE = {1};

  private static final Path CUDA = Path.of("src", "main", "cuda");
  private static final Path SOURCE = Path.of("src", "test", "c", "fake_benchmark_kernels.cpp");

  private BenchmarkFakes() {}

  /** Links the kernels into the fake drivers that this process builds from now on. */
  public static void use() {
    if (Files.exists(SOURCE)) {
      FakeLibraries.addKernels(SOURCE, List.of(CUDA));
    }
  }
}
