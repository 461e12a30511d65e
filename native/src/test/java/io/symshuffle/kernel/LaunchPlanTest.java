// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.fake.FakeLibraries;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Launch plans on a fake GPU. */
class LaunchPlanTest {
  private static final long MIB = 1 << 20;

  /** Runs on PE 0's GPU, which has 4 multiprocessors. */
  @TempDir private Path folder;

  @Test
  void usesOneCtaPerMultiprocessorForOnePeerAndHalfForSeveral() {
    withKernels(
        kernels -> {
          assertEquals(new LaunchPlan(4, 8, 2), kernels.planFor(pieces(64 * MIB, 1, 0), 2));
          assertEquals(new LaunchPlan(2, 8, 4), kernels.planFor(pieces(64 * MIB, 1, 2, 3, 0), 4));
        });
  }

  @Test
  void usesFewCtasAndSmallTilesForFewBytes() {
    withKernels(
        kernels -> {
          assertEquals(new LaunchPlan(1, 1, 1), kernels.planFor(pieces(100, 1), 1));
          assertEquals(new LaunchPlan(1, 1, 1), kernels.planFor(List.of(), 1));
          assertEquals(new LaunchPlan(2, 1, 1), kernels.planFor(pieces(60 << 10, 1), 1));
        });
  }

  @Test
  void jarWithoutKernelsReportsTheReason() {
    KernelImage none =
        new KernelImage(Optional.empty(), "nvcc was not found when the jar was built");
    assertEquals(
        Optional.of(
            "this jar has no GPU kernels (nvcc was not found when the jar was built): use a"
                + " released jar, or build it where CUDA 12.8 or newer is installed"),
        none.absence());
  }

  private static List<Piece> pieces(long bytes, int... pes) {
    return IntStream.of(pes).mapToObj(pe -> piece(pe, bytes)).toList();
  }

  private static Piece piece(int pe, long bytes) {
    return new Piece(new DeviceRange(1L << 40, bytes), new DeviceRange(1L << 41, bytes), pe);
  }

  private interface Body {
    void run(Kernels kernels);
  }

  private void withKernels(Body body) {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    CudaDriver driver = CudaDriver.open(List.of(FakeLibraries.cuda(folder).toString()));
    try (CudaContext context = driver.device(0).openPrimaryContext();
        Kernels kernels = Kernels.load(context, new KernelImage(Optional.of(new byte[16])), 0)) {
      body.run(kernels);
    }
  }
}
