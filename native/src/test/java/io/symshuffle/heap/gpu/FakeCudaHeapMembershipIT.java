// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.nvshmem.PeSetup;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** PEs that come and go, on the fake driver. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
class FakeCudaHeapMembershipIT extends AbstractCudaHeapMembership {
  @BeforeAll
  static void needsACompiler() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
  }

  @Override
  PeSetup setup() {
    return PeSetup.FAKE;
  }

  @Override
  int gpus() {
    return Integer.MAX_VALUE;
  }
}
