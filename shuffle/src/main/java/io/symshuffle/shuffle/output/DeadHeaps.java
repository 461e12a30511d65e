// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.ShmHeap;
import io.symshuffle.shuffle.directory.Estate;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees what dead PEs of this host have left. Their map outputs are read on; Spark tells living
 * executors only when a shuffle is over, so one of these does for the dead what it does for itself:
 * the living PE with the lowest number. There is one such PE at a time, and since numbers only
 * grow, another one takes over only when it is dead itself.
 *
 * <p>Entries of unregistered shuffles are erased first; then, when every shuffle that was leased at
 * that moment has been seen without a lease, all memory and files are given back that no published
 * map output names: what was erased, what the dead PE had hidden itself, and what its unfinished
 * tasks had written. When nothing is published any more, the heap's file goes altogether.
 *
 * <p>{@link #look} is called by one thread at a time, {@link #unregistered} by any.
 */
public final class DeadHeaps {
  /** For so long after a shuffle's end, a PE that dies may have died before it heard of it. */
  static final Duration NEWS = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(DeadHeaps.class);

  private final ShmHeap heap;
  private final MapOutputs outputs;
  private final LeaseTable leases;
  private final HostPes pes;
  private final LongSupplier nanoClock;
  private final Map<Integer, Long> unregistered = new ConcurrentHashMap<>();
  private final Map<Integer, Settlement> settlements = new HashMap<>();

  /** How far we are with one dead PE. */
  private static final class Settlement {
    /** Shuffles leased when something was last hidden, and not seen without a lease since. */
    private final Set<Integer> blockers;

    private boolean done;

    Settlement(Set<Integer> blockers) {
      this.blockers = new HashSet<>(blockers);
    }
  }

  /**
   * Starts to look after the dead.
   *
   * @param heap the own heap
   * @param outputs what this process has found in others
   * @param leases what this process reads
   * @param pes who is there
   * @param nanoClock the time in nanoseconds
   */
  public DeadHeaps(
      ShmHeap heap, MapOutputs outputs, LeaseTable leases, HostPes pes, LongSupplier nanoClock) {
    this.heap = requireNonNull(heap, "heap is null");
    this.outputs = requireNonNull(outputs, "outputs is null");
    this.leases = requireNonNull(leases, "leases is null");
    this.pes = requireNonNull(pes, "pes is null");
    this.nanoClock = requireNonNull(nanoClock, "nanoClock is null");
  }

  /** Spark says that a shuffle is over. */
  public void unregistered(int shuffleId) {
    unregistered.put(shuffleId, nanoClock.getAsLong());
  }

  /** Looks who is dead and frees what can be freed; called every now and then. */
  public void look() {
    unmapBuried();
    long oldest = nanoClock.getAsLong() - NEWS.toNanos();
    unregistered.values().removeIf(when -> when - oldest < 0);
    HostPes.Roll roll = pes.roll();
    if (roll.dead().isEmpty() || roll.living().getFirst() != heap.myPe()) {
      settlements.clear();
      return;
    }
    settlements.keySet().retainAll(roll.dead());
    for (int pe : roll.dead()) {
      try {
        settle(pe);
      } catch (IOException | RuntimeException e) {
        // Nobody knows what of it is in use: it stays until the application ends.
        LOG.debug("What PE {} has left stays as it is: {}", pe, e.toString());
      }
    }
  }

  private void settle(int pe) throws IOException {
    Optional<MemorySegment> window = heap.peer(pe);
    if (window.isEmpty()) {
      return;
    }
    Optional<Estate> estate = Estate.of(window.get());
    if (estate.isEmpty()) {
      heap.bury(pe);
      return;
    }
    boolean erased = estate.get().erase(unregistered::containsKey) > 0;
    Settlement settlement = settlements.get(pe);
    if (settlement == null || erased) {
      // After the erasing: see LeaseTable for why this order is safe.
      settlement = new Settlement(pes.leasedShuffles());
      settlements.put(pe, settlement);
    } else if (settlement.done) {
      return;
    } else {
      settlement.blockers.retainAll(pes.leasedShuffles());
    }
    if (settlement.blockers.isEmpty()) {
      free(pe, estate.get().published(), window.get());
      settlement.done = true;
    }
  }

  private void free(int pe, List<Estate.Output> published, MemorySegment window)
      throws IOException {
    if (published.isEmpty()) {
      LOG.debug("Nothing of PE {} is needed any more", pe);
      heap.bury(pe);
      return;
    }
    Map<Long, Long> used = new TreeMap<>();
    Set<String> files = new HashSet<>();
    for (Estate.Output output : published) {
      addRanges(pe, window, output, used);
      files.add(DiskFile.name(output.id()));
    }
    long end = ControlDescriptor.BYTES;
    for (Map.Entry<Long, Long> range : used.entrySet()) {
      release(pe, end, range.getKey());
      end = Math.max(end, range.getKey() + range.getValue());
    }
    release(pe, end, window.byteSize());
    deleteOthers(heap.diskFolder(pe), files);
  }

  /** The parts of the window that a map output takes: its runs or tables, and its index. */
  private void addRanges(int pe, MemorySegment window, Estate.Output output, Map<Long, Long> used)
      throws IOException {
    if (output.place().tier() == Tier.HOST) {
      used.merge(output.place().offset(), output.place().bytes(), Math::max);
    }
    MapOutput.open(pe, output.id(), output.place(), window, heap.diskFolder(pe))
        .addHostRanges((offset, bytes) -> used.merge(offset, bytes, Math::max));
  }

  private void release(int pe, long start, long end) {
    if (start < end) {
      heap.releaseDead(pe, start, end - start);
    }
  }

  private static void deleteOthers(Path folder, Set<String> needed) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, DiskFile.FILES)) {
      for (Path file : files) {
        if (!needed.contains(file.getFileName().toString())) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /** Whoever had a file mapped that is gone holds address space and nothing else; let that go. */
  private void unmapBuried() {
    List<Integer> buried = new ArrayList<>(heap.buried());
    if (!buried.isEmpty()) {
      // A task that reads looks into windows: only while there is none, and none can begin.
      leases.runWhileNone(
          () -> {
            buried.forEach(outputs::drop);
            buried.forEach(heap::unmap);
          });
    }
  }
}
