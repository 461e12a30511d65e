// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** Runs on fakes, with the kernels compiled for the CPU. */
@Tag("full")
class FakeLabIT extends AbstractLabContract {
  @Override
  protected PeSetup setup() {
    return PeSetup.FAKE;
  }

  @Override
  protected int peCount() {
    return 3;
  }

  @Override
  protected void assumePossible() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    assumeTrue(Files.isDirectory(Path.of("src/main/cuda")), "there are no kernels");
  }
}
