// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.Piece;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Division of pieces between copy engines and kernels, on a fake GPU. */
class PeerCopyTest {
  private static final long MIB = 1 << 20;

  /** Runs on PE 0's GPU, which has 4 multiprocessors. */
  @TempDir private Path folder;

  @Test
  void enginesTakeLargePiecesOfOnePeerAndHugePiecesOfSeveral() {
    assertFalse(CopyRoute.READ.byEngine(1, 4 * MIB - 1));
    assertTrue(CopyRoute.READ.byEngine(1, 4 * MIB));
    assertFalse(CopyRoute.READ.byEngine(3, 64 * MIB));
    assertTrue(CopyRoute.READ.byEngine(3, 128 * MIB));
    assertTrue(CopyRoute.WRITE.byEngine(1, 4 * MIB));
    assertFalse(CopyRoute.WRITE.byEngine(3, Piece.MAX_BYTES));
  }

  @Test
  void splitsPiecesBetweenEnginesAndKernel() {
    withKernels(
        (kernels, labKernels) -> {
          List<Piece> pieces =
              List.of(piece(1, 4 * MIB), piece(1, 500), piece(1, 9 * MIB), piece(0, 100));
          try (PeerCopy copy = PeerCopy.reading(kernels, labKernels, pieces)) {
            assertEquals(2, copy.enginePieces());
            assertEquals(1, copy.ctas());
          }
          try (PeerCopy copy = PeerCopy.writing(kernels, labKernels, List.of(piece(1, 4 * MIB)))) {
            assertEquals(1, copy.enginePieces());
            assertEquals(0, copy.ctas());
          }
        });
  }

  private static Piece piece(int pe, long bytes) {
    return new Piece(new DeviceRange(1L << 40, bytes), new DeviceRange(1L << 41, bytes), pe);
  }

  private interface Body {
    void run(Kernels kernels, LabKernels labKernels);
  }

  private void withKernels(Body body) {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    LabFakes.use();
    CudaDriver driver = CudaDriver.open(List.of(FakeLibraries.cuda(folder).toString()));
    try (CudaContext context = driver.device(0).openPrimaryContext();
        Kernels kernels = Kernels.load(context, new KernelImage(Optional.of(new byte[16])), 0);
        LabKernels labKernels =
            LabKernels.load(context, new KernelImage(Optional.of(LabFakes.IMAGE)), 0)) {
      body.run(kernels, labKernels);
    }
  }
}
