// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nvshmem;

import io.symshuffle.nvshmem.PeSetup;
import org.junit.jupiter.api.Tag;

/** Runs on fakes. */
@Tag("full")
class FakeExtrasIT extends AbstractExtrasContract {
  FakeExtrasIT() {
    super(PeSetup.FAKE);
  }
}
