// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PeGpuTest {

  @Test
  void aGpuForEachPeIsNoConflict() {
    assertEquals(
        Optional.empty(),
        PeGpu.conflict(List.of(new PeGpu(1, "a", "GPU-1"), new PeGpu(0, "b", "GPU-0"))));
  }

  @Test
  void twoPesOnOneGpuAreToldWithTheRemedy() {
    assertEquals(
        Optional.of(
            "PE 0 and PE 1 share the GPU GPU-0 of a: give each executor a GPU of its own"
                + " (spark.executor.resource.gpu.amount=1 and a discovery script that names each"
                + " GPU once)"),
        PeGpu.conflict(List.of(new PeGpu(0, "a", "GPU-0"), new PeGpu(1, "a", "GPU-0"))));
  }

  @Test
  void aNumberThatIsGivenTwiceIsTold() {
    assertEquals(
        Optional.of("two processes want to be PE 1, on a and on b: each number is given once"),
        PeGpu.conflict(List.of(new PeGpu(1, "a", "GPU-0"), new PeGpu(1, "b", "GPU-1"))));
  }

  @Test
  void aNumberOutsideTheTeamIsTold() {
    assertEquals(
        Optional.of("PE 2 on b does not fit into a team of 2"),
        PeGpu.conflict(List.of(new PeGpu(0, "a", "GPU-0"), new PeGpu(2, "b", "GPU-1"))));
  }
}
