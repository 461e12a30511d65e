// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The GPUs of this machine, for tests that need them. */
public final class Gpus {
  private Gpus() {}

  /** Skips the test if there are none, and says why; otherwise returns their driver. */
  public static CudaDriver assume() {
    CudaDriver driver = CudaDriver.system();
    assumeTrue(driver.absence().isEmpty(), () -> driver.absence().orElseThrow());
    return driver;
  }
}
