// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.CrcLaunch;
import io.symshuffle.kernel.KernelException;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.LaunchPlan;
import io.symshuffle.kernel.Piece;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * Copies data between this GPU's memory, the windows of the device heap and host memory, for one
 * task thread. Copies are ordered with the columnar engine's work of the same thread, and complete
 * when {@link #await} returns.
 */
public final class TableCopies implements AutoCloseable {
  /** The alignment of cuDF's buffers; also a multiple of the size of NVLink packets. */
  public static final long ALIGNMENT = 256;

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final CudaStream stream;
  private final Optional<Kernels> kernels;

  /**
   * Uses the engine's stream of the calling thread.
   *
   * @param kernels copy lists of pieces with one launch; if empty, pieces are copied one by one
   */
  public TableCopies(TableEngine engine, Optional<Kernels> kernels) {
    this.stream =
        requireNonNull(engine, "engine is null").context().foreignStream(engine.streamHandle());
    this.kernels = requireNonNull(kernels, "kernels is null");
  }

  /**
   * Copies pieces of GPU memory, including that of peers, and waits until the copy is complete.
   *
   * @param pieces the pieces, grouped by PE
   * @param pes number of PEs from which data is copied
   * @throws IOException if it does not complete within a minute
   */
  public void copy(List<Piece> pieces, int pes) throws IOException {
    if (pieces.isEmpty()) {
      return;
    }
    if (kernels.isEmpty()) {
      pieces.forEach(piece -> stream.copy(piece.destination(), piece.source()));
      await();
      return;
    }
    LaunchPlan plan = kernels.get().planFor(pieces, Math.max(1, pes));
    KernelLaunch launch = kernels.get().pull(pieces, plan);
    runToCompletion(
        launch,
        () -> {
          launch.await(stream, LIMIT);
          return launch;
        });
  }

  /**
   * Computes checksums of ranges of GPU memory, after all work that was queued before.
   *
   * @param ranges ranges of this GPU's memory or of windows of the device heap
   * @return int[ranges]: CRC32C of each range; 0 if it is empty or longer than {@link
   *     Piece#MAX_BYTES}, the limit of the kernel
   * @throws IOException if it does not complete within a minute
   * @throws java.util.NoSuchElementException if there are no kernels, but a checksum to compute
   */
  public int[] checksums(List<DeviceRange> ranges) throws IOException {
    int[] checksums = new int[ranges.size()];
    int[] computed =
        IntStream.range(0, checksums.length)
            .filter(i -> ranges.get(i).bytes() > 0 && ranges.get(i).bytes() <= Piece.MAX_BYTES)
            .toArray();
    if (computed.length > 0) {
      CrcLaunch launch =
          kernels.orElseThrow().crc32c(IntStream.of(computed).mapToObj(ranges::get).toList());
      int[] found = runToCompletion(launch, () -> launch.results(stream, LIMIT));
      for (int i = 0; i < found.length; i++) {
        checksums[computed[i]] = found[i];
      }
    }
    return checksums;
  }

  /** Waits for the work that was queued last. */
  @FunctionalInterface
  private interface Waiting<T> {
    T await() throws TimeoutException;
  }

  /** Queues a launch and waits for it. If it may still be running, its memory is leaked. */
  private <T> T runToCompletion(KernelLaunch launch, Waiting<T> waiting) throws IOException {
    boolean done = false;
    try {
      launch.queue(stream);
      T result = waiting.await();
      done = true;
      return result;
    } catch (KernelException e) {
      done = true; // ended with an error
      throw e;
    } catch (TimeoutException e) {
      throw late(e);
    } finally {
      if (done) {
        launch.close();
      }
    }
  }

  /** Queues a copy from GPU memory to native host memory. */
  public void toHost(MemorySegment to, DeviceRange from) {
    stream.copyOut(to, from);
  }

  /** Queues a copy from native host memory to GPU memory. */
  public void toDevice(DeviceRange to, MemorySegment from) {
    stream.copyIn(to, from);
  }

  /**
   * Waits until all queued work is done.
   *
   * @throws IOException if it does not complete within a minute
   */
  public void await() throws IOException {
    try {
      stream.synchronize(LIMIT);
    } catch (TimeoutException e) {
      throw late(e);
    }
  }

  /** Rounds a size or offset up to the start of the next table. */
  public static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Splits a copy into pieces that a kernel can copy. */
  public static List<Piece> pieces(DeviceRange from, DeviceRange to, int pe) {
    if (from.bytes() <= Piece.MAX_BYTES) {
      return List.of(new Piece(from, to, pe));
    }
    List<Piece> pieces = new ArrayList<>();
    for (long done = 0; done < from.bytes(); done += Piece.MAX_BYTES) {
      long length = Math.min(Piece.MAX_BYTES, from.bytes() - done);
      pieces.add(new Piece(from.slice(done, length), to.slice(done, length), pe));
    }
    return pieces;
  }

  private static IOException late(TimeoutException e) {
    return new IOException(
        "copying shuffle data in GPU memory took longer than %d s: %s"
            .formatted(LIMIT.toSeconds(), e.getMessage()),
        e);
  }

  @Override
  public void close() {
    stream.close();
  }
}
