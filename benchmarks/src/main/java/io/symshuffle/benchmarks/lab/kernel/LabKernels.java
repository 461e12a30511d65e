// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.KernelModule;
import io.symshuffle.kernel.LaunchPlan;
import io.symshuffle.kernel.Piece;
import io.symshuffle.kernel.PieceTable;
import io.symshuffle.kernel.PieceTable.Remote;
import java.util.List;

/**
 * The kernels of the lab's fatbin, loaded on one GPU. Methods check their arguments. Thread-safe.
 */
public final class LabKernels implements AutoCloseable {
  private static final String RESOURCE = "lab.fatbin";
  private static final String PUSH = "symshuffle_push";

  static final String BARRIER = "symshuffle_barrier";

  static final String SUM = "symshuffle_sum";

  private static final KernelModule.Contents CONTENTS =
      new KernelModule.Contents(LabStruct.all(), List.of(PUSH, BARRIER, SUM));

  private final KernelModule module;

  private LabKernels(KernelModule module) {
    this.module = module;
  }

  /** {@return the fatbin of the lab} */
  public static KernelImage image() {
    return KernelImage.find(LabKernels.class, RESOURCE);
  }

  /**
   * Loads the kernels.
   *
   * @param pe number of this PE, for messages
   * @return the kernels; close them when none is running anymore
   * @throws io.symshuffle.kernel.UnsupportedKernelException when the image is absent or does not
   *     match this code
   */
  public static LabKernels load(CudaContext context, KernelImage image, int pe) {
    return new LabKernels(KernelModule.load(context, image, pe, CONTENTS));
  }

  /** {@return the sums over all PEs and their barrier} */
  public Reductions reductions() {
    return new Reductions(module);
  }

  /**
   * Prepares a push, which copies pieces from this PE's memory, mostly to other PEs.
   *
   * @param pieces what to copy; destinations do not overlap
   */
  public KernelLaunch push(List<Piece> pieces, LaunchPlan plan) {
    return PieceTable.of(pieces, Remote.DESTINATION).launch(module, PUSH, plan);
  }

  @Override
  public void close() {
    module.close();
  }
}
