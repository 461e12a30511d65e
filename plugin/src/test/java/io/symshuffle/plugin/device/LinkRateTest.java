// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.nvml.Nvml;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkRateTest {
  @Test
  void returnsZeroWithoutTheManagementLibrary() {
    Nvml absent = Nvml.open(List.of("/nonexistent/libnvidia-ml.so.1"));
    assertEquals(0, LinkRate.of(absent, "GPU-00000000-0000-0000-0000-000000000000"));
  }
}
