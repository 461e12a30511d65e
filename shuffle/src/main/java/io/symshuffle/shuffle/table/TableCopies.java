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
 * Copies for one task thread between this GPU's memory, the windows of the device heap and host
 * memory. They are ordered with the columnar engine's work of the same thread, and done when {@link
 * #await} returns.
 */
public final class TableCopies implements AutoCloseable {
  /** Where cuDF expects its buffers to start; also a whole number of NVLink packets. */
  public static final long ALIGNMENT = 256;

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final CudaStream stream;
  private final Optional<Kernels> kernels;

  /**
   * Copies on the engine's stream of the calling thread.
   *
   * @param kernels one of them copies lists of pieces; without it the copy engines do, one by one
   */
  public TableCopies(TableEngine engine, Optional<Kernels> kernels) {
    this.stream =
        requireNonNull(engine, "engine is null").context().foreignStream(engine.streamHandle());
    this.kernels = requireNonNull(kernels, "kernels is null");
  }

  /**
   * Copies pieces inside GPU memory, peers' included, and waits until it is done.
   *
   * @param pieces those of one PE side by side
   * @param pes number of PEs that they come from
   * @throws IOException if it is not done after a minute
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
    toItsEnd(
        launch,
        () -> {
          launch.await(stream, LIMIT);
          return launch;
        });
  }

  /**
   * Checksums of what lies in GPU memory once everything is done that was queued before.
   *
   * @param ranges own memory or windows of the device heap
   * @return int[ranges]: CRC32C of each; 0 of one that is longer than {@link Piece#MAX_BYTES},
   *     which is more than one kernel reads, and of one without bytes
   * @throws IOException if it is not done after a minute
   * @throws java.util.NoSuchElementException without kernels, if there is a checksum to compute
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
      int[] found = toItsEnd(launch, () -> launch.results(stream, LIMIT));
      for (int i = 0; i < found.length; i++) {
        checksums[computed[i]] = found[i];
      }
    }
    return checksums;
  }

  /** Waits for what was queued last. */
  @FunctionalInterface
  private interface Waiting<T> {
    T await() throws TimeoutException;
  }

  /** A launch that may still run keeps its memory. */
  private <T> T toItsEnd(KernelLaunch launch, Waiting<T> waiting) throws IOException {
    boolean done = false;
    try {
      launch.queue(stream);
      T result = waiting.await();
      done = true;
      return result;
    } catch (KernelException e) {
      done = true; // and did not do its work
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
   * Waits until all is done that was queued.
   *
   * @throws IOException if it is not after a minute
   */
  public void await() throws IOException {
    try {
      stream.synchronize(LIMIT);
    } catch (TimeoutException e) {
      throw late(e);
    }
  }

  /** The size, or offset, rounded up to where the next table may start. */
  public static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Cuts a copy into pieces that a kernel takes. */
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
        "a copy of shuffle data in GPU memory is not done after %d s: %s"
            .formatted(LIMIT.toSeconds(), e.getMessage()),
        e);
  }

  @Override
  public void close() {
    stream.close();
  }
}
