// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.nvshmem.PeSetup;
import org.junit.jupiter.api.Tag;

/** Runs on all GPUs of this machine. */
@Tag("gpu")
class GpuDeviceIT extends AbstractDeviceContract {
  GpuDeviceIT() {
    super(PeSetup.GPU);
  }
}
