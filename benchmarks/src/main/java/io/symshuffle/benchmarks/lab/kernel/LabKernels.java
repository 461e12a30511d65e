// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.LaunchShape;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.KernelModule;
import io.symshuffle.kernel.LaunchPlan;
import io.symshuffle.kernel.Piece;
import io.symshuffle.kernel.PieceTable;
import io.symshuffle.kernel.PieceTable.Remote;
import io.symshuffle.kernel.UnsupportedKernelException;
import java.util.List;

/**
 * The kernels of the lab's fatbin, loaded on one GPU. Methods check their arguments. Thread-safe.
 */
public final class LabKernels implements AutoCloseable {
  private static final String RESOURCE = "lab.fatbin";
  private static final String PULL_TMA = "symshuffle_pull_tma";
  private static final String PUSH = "symshuffle_push";

  /** Names of kernels. */
  static final String BARRIER = "symshuffle_barrier";

  static final String SUM = "symshuffle_sum";
  static final String MULTICAST_SUM = "symshuffle_multicast_sum";

  /** Indexes of the fatbin's numbers; see lab_layout.cu. */
  private static final int TMA_CTA_THREADS = 0;

  private static final int TMA_SHARED_BYTES = 1;
  private static final int TMA_TILE_UNITS = 2;

  private static final KernelModule.Contents CONTENTS =
      new KernelModule.Contents(
          LabStruct.all(), List.of(PUSH, BARRIER, SUM), List.of(PULL_TMA, MULTICAST_SUM));

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
   * @param context the context to load them into
   * @param image the fatbin
   * @param pe number of this PE, for messages
   * @return the kernels; close them when none is running anymore
   * @throws UnsupportedKernelException when the image is absent or does not match this code
   */
  public static LabKernels load(CudaContext context, KernelImage image, int pe) {
    KernelModule module = KernelModule.load(context, image, pe, CONTENTS);
    if (module.isHopperOrNewer()) {
      module.function(PULL_TMA).allowSharedBytes(module.number(TMA_SHARED_BYTES));
    }
    return new LabKernels(module);
  }

  /** {@return the sums over all PEs and their barrier} */
  public Reductions reductions() {
    return new Reductions(module);
  }

  /** {@return whether this GPU has the instructions of pull_tma and multicast_sum} */
  public boolean isHopperOrNewer() {
    return module.isHopperOrNewer();
  }

  /**
   * Prepares a push, which copies pieces from this PE's memory, mostly to other PEs.
   *
   * @param pieces what to copy; destinations do not overlap
   * @param plan how to distribute it
   * @return the launch
   */
  public KernelLaunch push(List<Piece> pieces, LaunchPlan plan) {
    return copy(
        PUSH,
        PieceTable.of(pieces, Remote.DESTINATION),
        pieces.size(),
        plan,
        module.ctaShape(plan.ctas()));
  }

  /**
   * Prepares a pull with bulk copies (TMA).
   *
   * @param pieces what to copy: addresses and lengths are multiples of 16 bytes
   * @param plan how to distribute it
   * @return the launch
   * @throws UnsupportedKernelException before Hopper, and for pieces that are not aligned
   */
  public KernelLaunch pullTma(List<Piece> pieces, LaunchPlan plan) {
    module.requireHopper("pull_tma");
    for (Piece piece : pieces) {
      if (((piece.source().address() | piece.destination().address() | piece.bytes()) & 15) != 0) {
        throw new UnsupportedKernelException(
            "bulk copies need multiples of 16 bytes, unlike %s to %s"
                .formatted(piece.source(), piece.destination()));
      }
    }
    LaunchPlan fitting =
        new LaunchPlan(
            plan.ctas(), Math.min(plan.tileUnits(), module.number(TMA_TILE_UNITS)), plan.spans());
    return copy(
        PULL_TMA,
        PieceTable.of(pieces, Remote.SOURCE),
        pieces.size(),
        fitting,
        new LaunchShape(
            plan.ctas(), module.number(TMA_CTA_THREADS), module.number(TMA_SHARED_BYTES)));
  }

  private KernelLaunch copy(
      String kernel, PieceTable table, int pieces, LaunchPlan plan, LaunchShape shape) {
    return new KernelLaunch(
        module,
        kernel,
        shape,
        table.bytes(),
        table::write,
        place ->
            new LabStruct.PullArguments(
                place.tables(),
                place.status(),
                pieces,
                table.units(),
                plan.tileUnits(),
                plan.spans(),
                module.pe(),
                0));
  }

  @Override
  public void close() {
    module.close();
  }
}
