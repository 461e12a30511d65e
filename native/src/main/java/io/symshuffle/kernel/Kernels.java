// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaModule;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.LaunchShape;
import java.util.List;
import java.util.function.Function;

/**
 * The kernels, loaded into a context. Each method prepares a launch of one kernel; everything is
 * checked here, so that a kernel has little left to refuse. Threads: any.
 */
public final class Kernels implements AutoCloseable {
  /** 16 KiB: small enough that the last tiles end together. */
  private static final int MOST_TILE_UNITS = 8;

  private static final long CRC_DESCRIPTOR_BYTES =
      KernelStruct.layout(KernelStruct.CrcDescriptor.class).byteSize();

  private final LoadedKernels loaded;

  private Kernels(LoadedKernels loaded) {
    this.loaded = loaded;
  }

  /**
   * Loads the kernels.
   *
   * @param context where to
   * @param image the fatbin of this jar
   * @param pe number of this PE, for messages
   * @return the kernels; to be closed when none runs any more
   * @throws UnsupportedKernelException when the image is absent or does not fit this code
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_NO_BINARY_FOR_GPU (209) when it has
   *     nothing for this GPU
   */
  public static Kernels load(CudaContext context, KernelImage image, int pe) {
    requireNonNull(context, "context is null");
    byte[] bytes =
        image
            .bytes()
            .orElseThrow(() -> new UnsupportedKernelException(image.absence().orElseThrow()));
    CudaModule module = context.load(bytes);
    try {
      return new Kernels(new LoadedKernels(context, module, pe));
    } catch (RuntimeException e) {
      module.close();
      throw e;
    }
  }

  /** {@return the context that they are loaded in} */
  public CudaContext context() {
    return loaded.context();
  }

  /** {@return multiprocessors of this GPU} */
  public int multiprocessors() {
    return loaded.multiprocessors();
  }

  /** {@return whether this GPU has the instructions of pull_tma and multimem (Hopper or newer)} */
  public boolean isHopperOrNewer() {
    return loaded.isHopperOrNewer();
  }

  /** {@return what PEs do together over peer loads and stores} */
  public Collectives collectives() {
    return new Collectives(loaded);
  }

  /** {@return what PEs do together by the switch} */
  public Multimem multimem() {
    return new Multimem(loaded);
  }

  /** Number of other PEs in a list. */
  int peers(List<Piece> pieces) {
    return (int)
        pieces.stream()
            .mapToInt(Piece::pe)
            .filter(other -> other != loaded.pe())
            .distinct()
            .count();
  }

  /**
   * A plan for a list of pieces that suits this GPU.
   *
   * <p>One CTA a multiprocessor for one peer, half as many for several, fewer for little work;
   * tiles of at most 16 KiB. Measured on H200 (132 multiprocessors), 256 MiB sent by each PE, its
   * own block included, GB/s off each GPU: with one peer 16 CTAs read 187, 64 read 327, 132 read
   * 329, 264 read 328; with three peers 16 read 262, 64 read 327, 132 read 301, 264 read 302. What
   * is in flight beyond the 0.5 MiB that fill NVLink only queues up where several PEs read from the
   * same one. From 1 to 16 MiB 64 CTAs are the best for three peers, too; at 32 and 64 MiB, where
   * caches play in, 132 were better by 6 and 10 %, which one run is too little to build on.
   *
   * @param pieces the list
   * @param spans see {@link LaunchPlan#spans}
   * @return the plan
   */
  public LaunchPlan planFor(List<Piece> pieces, int spans) {
    long bytes = pieces.stream().mapToLong(Piece::bytes).sum();
    long units = Math.max(1, bytes / KernelLayout.UNIT_BYTES + pieces.size());
    int warps = loaded.layout().ctaThreads() / LoadedKernels.LANES;
    int most =
        peers(pieces) > 1 ? Math.max(1, loaded.multiprocessors() / 2) : loaded.multiprocessors();
    int ctas = Math.clamp((units + warps - 1) / warps, 1, most);
    int tileUnits = Math.clamp(units / ((long) ctas * warps), 1, MOST_TILE_UNITS);
    return new LaunchPlan(ctas, tileUnits, spans);
  }

  /**
   * Prepares a pull: copies pieces, mostly from other PEs' memory, into this PE's.
   *
   * @param pieces what to copy; destinations do not overlap
   * @param plan how to spread it
   * @return the launch
   */
  public KernelLaunch pull(List<Piece> pieces, LaunchPlan plan) {
    return copy("symshuffle_pull", pieces, plan, true, loaded.ctaShape(plan.ctas()));
  }

  /**
   * Prepares a push: copies pieces from this PE's memory to where they belong, mostly other PEs'.
   *
   * @param pieces what to copy; destinations do not overlap
   * @param plan how to spread it
   * @return the launch
   */
  public KernelLaunch push(List<Piece> pieces, LaunchPlan plan) {
    return copy("symshuffle_push", pieces, plan, false, loaded.ctaShape(plan.ctas()));
  }

  /**
   * Prepares a pull by bulk copies.
   *
   * @param pieces what to copy: addresses and lengths are multiples of 16 bytes
   * @param plan how to spread it
   * @return the launch
   * @throws UnsupportedKernelException before Hopper, and for pieces that are not aligned
   */
  public KernelLaunch pullTma(List<Piece> pieces, LaunchPlan plan) {
    loaded.requireHopper("pull_tma");
    for (Piece piece : pieces) {
      if (((piece.source().address() | piece.destination().address() | piece.bytes()) & 15) != 0) {
        throw new UnsupportedKernelException(
            "bulk copies need multiples of 16 bytes, unlike %s to %s"
                .formatted(piece.source(), piece.destination()));
      }
    }
    LaunchPlan fitting =
        new LaunchPlan(
            plan.ctas(), Math.min(plan.tileUnits(), loaded.layout().tmaTileUnits()), plan.spans());
    return copy(
        "symshuffle_pull_tma",
        pieces,
        fitting,
        true,
        new LaunchShape(
            plan.ctas(), loaded.layout().tmaCtaThreads(), loaded.layout().tmaSharedBytes()));
  }

  private KernelLaunch copy(
      String kernel, List<Piece> pieces, LaunchPlan plan, boolean pull, LaunchShape shape) {
    long[] firstUnits = PieceTable.firstUnits(pieces, pull);
    long unitCount = firstUnits[pieces.size()];
    KernelLaunch.Tables tables = to -> PieceTable.write(pieces, firstUnits, to);
    Function<KernelLaunch.Place, Record> argument =
        place ->
            new KernelStruct.PullArguments(
                place.tables(),
                place.status(),
                pieces.size(),
                (int) unitCount,
                plan.tileUnits(),
                plan.spans(),
                loaded.pe(),
                0);
    CudaFunction function = loaded.function(kernel);
    return pull
        ? new PullLaunch(loaded.pool(), function, shape, tables, argument, pieces, loaded.pe())
        : new KernelLaunch(
            loaded.pool(),
            function,
            shape,
            PieceTable.DESCRIPTOR_BYTES * pieces.size(),
            tables,
            argument);
  }

  /**
   * Prepares checksums.
   *
   * @param pieces what to check, at most 16 GiB each
   * @return the launch
   */
  public CrcLaunch crc32c(List<DeviceRange> pieces) {
    long[] firstUnits = new long[pieces.size() + 1];
    for (int i = 0; i < pieces.size(); i++) {
      DeviceRange piece = pieces.get(i);
      if (piece.bytes() > Piece.MOST_BYTES) {
        throw new IllegalArgumentException(
            "%s are more than %d: cut them".formatted(piece, Piece.MOST_BYTES));
      }
      firstUnits[i + 1] =
          firstUnits[i]
              + UnitGeometry.unitsByRemoteSource(piece.address(), piece.address(), piece.bytes());
    }
    long unitCount = PieceTable.checkUnits(firstUnits[pieces.size()]);
    long resultsOffset = CRC_DESCRIPTOR_BYTES * pieces.size();
    int warps = loaded.layout().ctaThreads() / LoadedKernels.LANES;
    int ctas = Math.clamp((unitCount + warps - 1) / warps, 1, 2 * loaded.multiprocessors());
    int tileUnits = Math.clamp(unitCount / ((long) ctas * warps), 1, 16);
    return new CrcLaunch(
        loaded.pool(),
        loaded.function("symshuffle_crc32c"),
        loaded.ctaShape(ctas),
        resultsOffset + (long) Integer.BYTES * pieces.size(),
        to -> {
          for (int i = 0; i < pieces.size(); i++) {
            long at = CRC_DESCRIPTOR_BYTES * i;
            to.set(JAVA_LONG, at, pieces.get(i).address());
            to.set(JAVA_LONG, at + 8, pieces.get(i).bytes());
            to.set(JAVA_INT, at + 16, (int) firstUnits[i]);
            to.set(JAVA_INT, at + 20, loaded.pe());
          }
        },
        place ->
            new KernelStruct.CrcArguments(
                place.tables(),
                place.tables() + resultsOffset,
                place.status(),
                pieces.size(),
                (int) unitCount,
                tileUnits,
                loaded.pe()),
        resultsOffset,
        pieces.size());
  }

  /**
   * Prepares the sort of a staging buffer of records into a run.
   *
   * @param plan of {@link RowPartitionPlan#of}, for the multiprocessors of this GPU
   * @param memory what it works on
   * @param checksums whether the blocks' checksums are wanted
   * @return the launches
   * @throws IllegalArgumentException when the memory does not fit the plan
   */
  public RowPartition rowPartition(
      RowPartitionPlan plan, RowPartition.Memory memory, boolean checksums) {
    return new RowPartition(
        loaded.pool(),
        loaded::function,
        loaded.layout().ctaThreads(),
        loaded.pe(),
        plan,
        memory,
        checksums);
  }

  @Override
  public void close() {
    loaded.close();
  }
}
