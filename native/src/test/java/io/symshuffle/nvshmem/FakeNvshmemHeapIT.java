// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.heap.AbstractDeviceHeapContract;
import io.symshuffle.heap.DeviceHeapMaker;
import org.junit.jupiter.api.BeforeAll;

/** The device heap's contract on the fake NVSHMEM. */
class FakeNvshmemHeapIT extends AbstractDeviceHeapContract {
  @BeforeAll
  static void needsACompiler() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
  }

  @Override
  protected Class<? extends DeviceHeapMaker> maker() {
    return NvshmemHeapMaker.OnFakes.class;
  }

  @Override
  protected int maxPes() {
    return Integer.MAX_VALUE;
  }
}
