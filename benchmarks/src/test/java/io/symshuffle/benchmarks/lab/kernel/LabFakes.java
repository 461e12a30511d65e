// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import io.symshuffle.fake.FakeLibraries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The lab's kernels in the fake driver. */
public final class LabFakes {
  /** The fake driver loads the lab's kernels from an image that starts with this byte. */
  static final byte[] IMAGE = {1};

  private static final Path CUDA = Path.of("src", "main", "cuda");
  private static final Path SOURCE = Path.of("src", "test", "c", "fake_lab_kernels.cpp");

  private LabFakes() {}

  /** Links the kernels into the fake drivers that this process builds from now on. */
  public static void use() {
    if (Files.exists(SOURCE)) {
      FakeLibraries.addKernels(SOURCE, List.of(CUDA));
    }
  }
}
