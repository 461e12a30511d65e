// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class GpuChoiceTest {
  private static final List<String> TWO = List.of("GPU-a", "GPU-b");
  private static final List<String> ONE = List.of("GPU-c");

  @Test
  void choosesTheAssignedGpuByNumberOrUuid() {
    assertEquals(1, GpuChoice.choose(List.of("1"), TWO, 0));
    assertEquals(0, GpuChoice.choose(List.of("0"), TWO, 1));
    assertEquals(1, GpuChoice.choose(List.of("gpu-B"), TWO, 0));
  }

  @Test
  void choosesTheOnlyVisibleGpuRegardlessOfItsNumberOnTheHost() {
    assertEquals(0, GpuChoice.choose(List.of("3"), ONE, 2));
    assertEquals(0, GpuChoice.choose(List.of(), ONE, 2));
  }

  @Test
  void choosesByTurnWithoutAnAssignedGpu() {
    assertEquals(0, GpuChoice.choose(List.of(), TWO, 0));
    assertEquals(1, GpuChoice.choose(List.of(), TWO, 1));
    assertEquals(0, GpuChoice.choose(List.of(), TWO, 2), "the driver will refuse it");
  }

  @Test
  void refusesAGpuThatIsNotVisible() {
    assertEquals(
        "Spark has assigned the GPU '2' to this executor, but its process sees [GPU-a, GPU-b]:"
            + " check the discovery script and CUDA_VISIBLE_DEVICES",
        refused(List.of("2")));
    assertEquals(
        "Spark has assigned the GPU 'GPU-x' to this executor, but its process sees [GPU-a, GPU-b]:"
            + " check the discovery script and CUDA_VISIBLE_DEVICES",
        refused(List.of("GPU-x")));
  }

  @Test
  void refusesSeveralGpus() {
    assertEquals(
        "Spark has assigned the GPUs [0, 1] to this executor, but an executor uses one: set"
            + " spark.executor.resource.gpu.amount=1",
        refused(List.of("0", "1")));
  }

  private static String refused(List<String> addresses) {
    return assertThrows(NoDeviceException.class, () -> GpuChoice.choose(addresses, TWO, 0))
        .getMessage();
  }
}
