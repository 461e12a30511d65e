// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** The contract on NVSHMEM, where a fake takes the place of GPUs. */
class FakeNvshmemHeapIT {
  @BeforeAll
  static void needsACompiler() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
  }

  @Nested
  class Mapped extends AbstractSymmetricHeapContract {
    @Override
    protected Class<? extends HeapMaker> maker() {
      return NvshmemHeapMaker.OnFakes.class;
    }
  }

  @Nested
  class Unmapped extends AbstractSymmetricHeapContract {
    @Override
    protected Class<? extends HeapMaker> maker() {
      return NvshmemHeapMaker.OnFakesUnmapped.class;
    }
  }
}
