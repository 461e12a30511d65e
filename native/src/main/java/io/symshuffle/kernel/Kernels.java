// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.DeviceRange;
import java.time.Duration;
import java.util.List;

/**
 * The kernels, loaded into a context. Each method prepares a launch and checks its arguments, so
 * that a kernel has little left to check. Thread-safe.
 */
public final class Kernels implements AutoCloseable {
  /** 16 KiB, small enough that the last tiles finish at about the same time. */
  private static final int MAX_TILE_UNITS = 8;

  private static final KernelModule.Contents CONTENTS =
      new KernelModule.Contents(
          KernelStruct.all(),
          List.of(
              "symshuffle_pull",
              "symshuffle_all_reduce",
              "symshuffle_check_tables",
              "symshuffle_crc32c",
              "symshuffle_pack_measure",
              "symshuffle_pack_place",
              "symshuffle_pack_starts",
              "symshuffle_pack_write",
              "symshuffle_unpack"));

  private static final long CRC_DESCRIPTOR_BYTES =
      DeviceStruct.layout(KernelStruct.CrcDescriptor.class).byteSize();

  private final KernelModule loaded;

  private Kernels(KernelModule loaded) {
    this.loaded = loaded;
  }

  /**
   * Loads the kernels.
   *
   * @param pe number of this PE, for messages
   * @return the kernels; the caller closes them
   * @throws UnsupportedKernelException when the image is absent or does not match this code
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_NO_BINARY_FOR_GPU (209) when it has no
   *     code for this GPU
   */
  public static Kernels load(CudaContext context, KernelImage image, int pe) {
    return new Kernels(KernelModule.load(context, image, pe, CONTENTS));
  }

  /** Returns the module, for tests that set its variables. */
  KernelModule module() {
    return loaded;
  }

  /** Returns the context that they are loaded in. */
  public CudaContext context() {
    return loaded.context();
  }

  /** Returns to the GPU the memory that was kept for the next launches; for an idle process. */
  public void trim() {
    loaded.pool().trim();
  }

  /** Returns the number of distinct PEs in a list of pieces, without this one. */
  public int peers(List<Piece> pieces) {
    return (int)
        pieces.stream()
            .mapToInt(Piece::pe)
            .filter(other -> other != loaded.pe())
            .distinct()
            .count();
  }

  /**
   * Returns a plan for a list of pieces that suits this GPU.
   *
   * <p>One CTA per multiprocessor for one peer, half as many for several, fewer for little work;
   * tiles of at most 16 KiB. Measured on H200 (132 multiprocessors) with 256 MiB sent by each PE,
   * including its own block, in GB/s read from each GPU: with one peer, 187 with 16 CTAs, 327 with
   * 64, 329 with 132 and 328 with 264; with three peers, 262 with 16 CTAs, 327 with 64, 301 with
   * 132 and 302 with 264. About 0.5 MiB in flight saturate NVLink; when several PEs read from the
   * same PE, more only queues up. For three peers, 64 CTAs are also best from 1 to 16 MiB; at 32
   * and 64 MiB, where caches matter, 132 CTAs were 6% and 10% faster, but in a single run.
   *
   * @param spans see {@link LaunchPlan#spans}
   */
  public LaunchPlan planFor(List<Piece> pieces, int spans) {
    long bytes = pieces.stream().mapToLong(Piece::bytes).sum();
    long units = Math.max(1, bytes / KernelLayout.UNIT_BYTES + pieces.size());
    int warps = loaded.ctaThreads() / KernelModule.LANES;
    int maxCtas =
        peers(pieces) > 1 ? Math.max(1, loaded.multiprocessors() / 2) : loaded.multiprocessors();
    int ctas = Math.clamp((units + warps - 1) / warps, 1, maxCtas);
    int tileUnits = Math.clamp(units / ((long) ctas * warps), 1, MAX_TILE_UNITS);
    return new LaunchPlan(ctas, tileUnits, spans);
  }

  /**
   * Prepares a pull, which copies pieces to this PE's memory, mostly from other PEs.
   *
   * @param pieces what to copy; destinations do not overlap
   */
  public KernelLaunch pull(List<Piece> pieces, LaunchPlan plan) {
    return PieceTable.of(pieces).pull(loaded, plan);
  }

  /** Returns how many CTAs of an all-reduce run on this GPU at the same time. */
  public int allReduceCtas() {
    return Math.min(loaded.multiprocessors(), AllReduce.MAX_CTAS);
  }

  /** Prepares an all-reduce, which all PEs launch. */
  public AllReduceLaunch allReduce(AllReduce arguments) {
    return new AllReduceLaunch(loaded, arguments);
  }

  /**
   * Prepares checksums.
   *
   * @param pieces memory to compute checksums of, at most 16 GiB each
   */
  public CrcLaunch crc32c(List<DeviceRange> pieces) {
    long[] firstUnits = new long[pieces.size() + 1];
    for (int i = 0; i < pieces.size(); i++) {
      DeviceRange piece = pieces.get(i);
      if (piece.bytes() > Piece.MAX_BYTES) {
        throw new IllegalArgumentException(
            "%s are more than %d: split them".formatted(piece, Piece.MAX_BYTES));
      }
      firstUnits[i + 1] =
          firstUnits[i] + UnitGeometry.units(piece.address(), piece.address(), piece.bytes());
    }
    long unitCount = PieceTable.checkUnits(firstUnits[pieces.size()]);
    long resultsOffset = CRC_DESCRIPTOR_BYTES * pieces.size();
    int warps = loaded.ctaThreads() / KernelModule.LANES;
    int ctas = Math.clamp((unitCount + warps - 1) / warps, 1, 2 * loaded.multiprocessors());
    int tileUnits = Math.clamp(unitCount / ((long) ctas * warps), 1, 16);
    return new CrcLaunch(
        loaded,
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
   * Prepares the packing of tables; see {@link PackedTables}.
   *
   * @param tables the tables, whose memory must not change until the launch is done
   * @param to the destination, 16-byte aligned, {@link PackedTables#roomFor} or more; does not
   *     overlap a table
   * @throws IllegalArgumentException when the memory does not fit
   */
  public PackLaunch pack(List<DeviceRange> tables, DeviceRange to) {
    return PackLaunch.of(loaded, tables, to);
  }

  /**
   * Prepares the unpacking of tables. The packed bytes are not trusted: a kernel reads and writes
   * only the given ranges, and reports what it could not decode.
   *
   * @param packed the packed tables, 16-byte aligned
   * @param plain where to write each; the length is that of the table
   * @throws IllegalArgumentException when a packed table is not aligned
   */
  public UnpackLaunch unpack(List<DeviceRange> packed, List<DeviceRange> plain) {
    return UnpackLaunch.of(loaded, packed, plain);
  }

  /**
   * Prepares a check of serialized tables, which may be torn or hostile, before RAPIDS' {@code
   * KudoGpuSerializer.assembleFromDeviceRaw} reads them. When a table has no problem, nothing in it
   * leads the assembly, or a kernel that trusts the offsets of the assembled table, outside of the
   * table's range. Characters are not checked to be UTF-8, nor booleans to be 0 or 1. The caller
   * assembles less than 2 GiB at a time, so that sums over tables do not overflow in RAPIDS either.
   *
   * <p>A number of rows from 8,388,608 n - 7 to 8,388,608 n - 1 is a problem too, of a column with
   * nulls whose first row is not at a multiple of 8: the assembly (that of release 26.08) takes the
   * bits beyond the last whole batch for a whole batch, and reads and writes up to 1 MiB too much.
   *
   * @param tables the tables, whose memory must not change until they are assembled
   * @param schema the columns that all of them have
   */
  public CheckTablesLaunch checkTables(List<SerializedTable> tables, TableSchema schema) {
    return CheckTablesLaunch.of(loaded, tables, schema);
  }

  /** Closes them like {@link #close(Duration)}, within 10 seconds. */
  @Override
  public void close() {
    loaded.close();
  }

  /**
   * Refuses further launches, waits for those in progress, and unloads the kernels.
   *
   * @return false if a kernel may still be running after the limit; then everything is leaked
   */
  public boolean close(Duration limit) {
    return loaded.close(limit);
  }
}
