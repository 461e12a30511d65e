// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nvshmem;

import io.symshuffle.nvshmem.PeSetup;
import org.junit.jupiter.api.Tag;

/** Runs on all GPUs of this machine. */
@Tag("gpu")
class GpuExtrasIT extends AbstractExtrasContract {
  GpuExtrasIT() {
    super(PeSetup.GPU);
  }
}
