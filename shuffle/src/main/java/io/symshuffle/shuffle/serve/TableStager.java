// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedArena;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.Slab;
import io.symshuffle.kernel.CrcLaunch;
import io.symshuffle.kernel.KernelException;
import io.symshuffle.kernel.PackLaunch;
import io.symshuffle.kernel.PackedTables;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs the tables of blocks on the GPU, and copies them to pinned memory. Confined to one thread
 * of {@link GpuSender}.
 */
final class TableStager implements AutoCloseable {
  /** Part of the device heap that each thread takes while there are tables to pack. */
  private static final long WORKSPACE_BYTES = 40L << 20;

  /** The most that it takes, for a large table; a larger one is sent as it is. */
  private static final long MAX_WORKSPACE_BYTES = 256L << 20;

  private static final Duration GPU_LIMIT = Duration.ofSeconds(60);
  private static final Duration SETTLE_LIMIT = Duration.ofSeconds(1);
  private static final Logger LOG = LoggerFactory.getLogger(TableStager.class);

  private final DeviceTier device;
  private final PinnedArena arena;
  private final SendOptions options;
  private final ShuffleStats stats;

  /** Null until it is needed. */
  private CudaStream stream;

  /** Part of the device heap to which tables are packed; null if there is none. */
  private Slab workspace;

  /** What is sent for a table: where it is on the GPU, or empty for other tiers. */
  private record Source(SentTable table, Optional<DeviceRange> data, boolean isPacked) {
    TableEntry entry() {
      return table.entry();
    }
  }

  /** A block whose shuffle is leased. */
  private record Held(GpuSender.Work work, Lease lease) {}

  /**
   * @param options whether the GPU packs tables, as far as the device heap has memory for it, and
   *     how long all blocks of a group wait for pinned memory
   */
  TableStager(DeviceTier device, PinnedPool pinned, SendOptions options, ShuffleStats stats) {
    this.device = device;
    this.arena = new PinnedArena(pinned);
    this.options = options;
    this.stats = stats;
  }

  /** Stages blocks as far as there is memory; the others have not ended then. */
  void stage(List<GpuSender.Work> group) throws InterruptedException {
    List<Held> held = new ArrayList<>();
    boolean queued = false;
    try {
      for (GpuSender.Work work : group) {
        try {
          held.add(new Held(work, work.leases().acquire()));
        } catch (IOException e) {
          LOG.debug("A block is not staged: {}", e.getMessage()); // its shuffle has ended
        }
      }
      if (!held.isEmpty()) {
        if (stream == null) {
          stream = device.context().newStream();
        }
        queued = true;
        List<GpuSender.Work> work = held.stream().map(Held::work).toList();
        copy(work, pack(work));
        queued = false;
      }
    } catch (TimeoutException e) {
      LOG.error("The GPU did not copy tables for another host: {}", e.getMessage());
    } finally {
      if (queued && !settles(stream)) {
        LOG.error(
            "Keeping map outputs in GPU memory until this executor ends, because a kernel may still"
                + " read them");
        workspace = null;
      } else {
        held.forEach(each -> each.lease().close());
      }
    }
  }

  /** Packs the tables of blocks, if there is memory; returns what to send for each block. */
  private List<List<Source>> pack(List<GpuSender.Work> group) throws TimeoutException {
    List<DeviceRange> plain = new ArrayList<>();
    for (GpuSender.Work work : group) {
      for (SentTable table : work.tables()) {
        if (isPackable(table.entry())) {
          plain.add(range(table));
        }
      }
    }
    List<DeviceRange> packed = options.packs() && !plain.isEmpty() ? packed(plain) : plain;
    List<List<Source>> sources = new ArrayList<>();
    int next = 0;
    for (GpuSender.Work work : group) {
      List<Source> ofBlock = new ArrayList<>();
      for (SentTable table : work.tables()) {
        TableEntry entry = table.entry();
        if (isPackable(entry)) {
          DeviceRange smaller = packed.get(next++);
          boolean isPacked = smaller.bytes() < entry.bytes();
          ofBlock.add(new Source(table, Optional.of(isPacked ? smaller : range(table)), isPacked));
        } else if (entry.tier() == Tier.DEVICE && entry.bytes() > 0) {
          ofBlock.add(new Source(table, Optional.of(range(table)), entry.isPacked()));
        } else {
          ofBlock.add(new Source(table, Optional.empty(), false));
        }
      }
      sources.add(ofBlock);
    }
    return sources;
  }

  private boolean isPackable(TableEntry table) {
    return table.tier() == Tier.DEVICE
        && !table.isPacked()
        && table.bytes() > 0
        && table.bytes() <= PackedTables.MAX_PLAIN_BYTES;
  }

  /** Packs tables; returns them as they are without memory for it. */
  private List<DeviceRange> packed(List<DeviceRange> plain) throws TimeoutException {
    long start = System.nanoTime();
    Optional<DeviceRange> to = workspace(PackedTables.roomFor(plain));
    if (to.isEmpty()) {
      return plain;
    }
    try (PackLaunch launch = device.kernels().pack(plain, to.get())) {
      launch.queue(stream);
      launch.await(stream, GPU_LIMIT);
      stats.addSince(ShuffleCounter.SEND_PACK_NANOS, start);
      return launch.packed();
    } catch (NativeCallException | KernelException e) {
      // Often no memory for the launch, which is outside of RAPIDS' pool.
      LOG.debug("Tables are sent without packing: {}", e.getMessage());
      return plain;
    }
  }

  /** Memory for packed tables; empty if the device heap has too little. */
  private Optional<DeviceRange> workspace(long bytes) {
    if (bytes > MAX_WORKSPACE_BYTES) {
      return Optional.empty();
    }
    if (workspace == null || workspace.bytes() < bytes) {
      freeWorkspace();
      workspace =
          device
              .slabs()
              .allocate(Math.max(bytes, WORKSPACE_BYTES))
              .or(() -> device.slabs().allocate(bytes))
              .orElse(null);
    }
    return Optional.ofNullable(workspace)
        .flatMap(slab -> device.heap().range(device.heap().myPe(), slab.offset(), slab.bytes()));
  }

  private void freeWorkspace() {
    if (workspace != null) {
      device.slabs().free(workspace);
      workspace = null;
    }
  }

  /** Copies blocks to pinned memory. */
  private void copy(List<GpuSender.Work> group, List<List<Source>> sources)
      throws InterruptedException, TimeoutException {
    long start = System.nanoTime();
    long deadline = start + options.maxWait().toNanos() / 4;
    long waited = 0;
    List<PinnedArena.Memory> taken = new ArrayList<>();
    List<DeviceRange> packed = new ArrayList<>();
    List<Runnable> done = new ArrayList<>();
    boolean ended = false;
    try {
      List<int[]> checksums = new ArrayList<>();
      for (int i = 0; i < group.size(); i++) {
        GpuSender.Work work = group.get(i);
        List<Source> ofBlock = sources.get(i);
        long bytes =
            ofBlock.stream()
                .flatMap(source -> source.data().stream())
                .mapToLong(DeviceRange::bytes)
                .sum();
        long before = System.nanoTime();
        Optional<PinnedArena.Memory> memory =
            arena.allocate(bytes, Duration.ofNanos(Math.max(0, deadline - before)));
        waited += System.nanoTime() - before;
        if (memory.isEmpty()) {
          continue;
        }
        taken.add(memory.get());
        Target target = new Target(stream, memory.get().pieces());
        int firstPacked = packed.size();
        for (Source source : ofBlock) {
          source.data().ifPresent(target::copy);
          if (source.isPacked() && source.entry().checksum() != 0) {
            packed.add(source.data().orElseThrow());
          }
        }
        done.add(
            () -> {
              work.block().end(frames(ofBlock, checksums.getFirst(), firstPacked), memory.get());
              stats.add(ShuffleCounter.BYTES_STAGED, work.bytes());
              stats.add(ShuffleCounter.STAGED_BYTES_SENT, bytes);
            });
      }
      checksums.add(await(packed));
      ended = true;
      stats.add(ShuffleCounter.SEND_MEMORY_NANOS, waited);
      stats.add(ShuffleCounter.SEND_COPY_NANOS, System.nanoTime() - start - waited);
      done.forEach(Runnable::run);
    } finally {
      // The GPU may still write memory of a copy that has not ended.
      if (!ended && settles(stream)) {
        taken.forEach(PinnedArena.Memory::close);
      }
    }
  }

  /** Waits for all copies, and computes checksums meanwhile. */
  private int[] await(List<DeviceRange> packed) throws TimeoutException {
    if (packed.isEmpty()) {
      stream.synchronize(GPU_LIMIT);
      return new int[0];
    }
    try (CrcLaunch launch = device.kernels().crc32c(packed)) {
      launch.queue(stream);
      launch.await(stream, GPU_LIMIT);
      return launch.results();
    }
  }

  /** The frames of a staged block, in the order of its tables. */
  private List<Frame> frames(List<Source> sources, int[] checksums, int firstPacked) {
    List<Frame> frames = new ArrayList<>();
    int next = firstPacked;
    long place = 0;
    for (Source source : sources) {
      SentTable table = source.table();
      if (source.data().isEmpty()) {
        frames.add(Frame.of(table));
        continue;
      }
      long bytes = source.data().get().bytes();
      if (source.isPacked()) {
        int crc = source.entry().checksum() == 0 ? 0 : checksums[next++];
        frames.add(Frame.packed(table, place, bytes, crc));
      } else {
        frames.add(Frame.staged(table, place));
      }
      place += bytes;
    }
    return frames;
  }

  /**
   * Releases memory that this thread does not need at the moment.
   *
   * @param isIdle whether there has been nothing to do for a while
   */
  void leaveMemory(boolean isIdle) {
    arena.close();
    if (isIdle) {
      freeWorkspace();
    }
  }

  @Override
  public void close() {
    leaveMemory(true);
    if (stream != null) {
      stream.close();
    }
  }

  /** Waits a moment for queued work; false if the GPU may still do it. */
  private static boolean settles(CudaStream stream) {
    try {
      stream.synchronize(SETTLE_LIMIT);
      return true;
    } catch (TimeoutException | RuntimeException e) {
      return false; // late, or the GPU failed
    }
  }

  private DeviceRange range(SentTable table) {
    int pe = table.output().pe();
    TableEntry entry = table.entry();
    return device
        .heap()
        .range(pe, entry.place(), entry.storedBytes())
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "there is no GPU memory of PE %d for %d bytes at %d"
                        .formatted(pe, entry.storedBytes(), entry.place())));
  }

  /** Pinned memory that is filled from its start. */
  private static final class Target {
    private final CudaStream stream;
    private final List<MemorySegment> pieces;
    private int piece;
    private long used;

    Target(CudaStream stream, List<MemorySegment> pieces) {
      this.stream = stream;
      this.pieces = pieces;
    }

    /** Queues a copy to the next bytes. */
    void copy(DeviceRange from) {
      for (long done = 0; done < from.bytes(); ) {
        MemorySegment to = pieces.get(piece);
        long step = Math.min(to.byteSize() - used, from.bytes() - done);
        stream.copyOut(to.asSlice(used, step), from.slice(done, step));
        done += step;
        used += step;
        if (used == to.byteSize()) {
          piece++;
          used = 0;
        }
      }
    }
  }
}
