// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import io.symshuffle.nvshmem.PeSetup;
import org.junit.jupiter.api.Tag;

/** Runs on fakes, with the kernels compiled for the CPU. */
@Tag("full")
class FakeLabIT extends AbstractLabContract {
  FakeLabIT() {
    super(PeSetup.FAKE);
  }
}
