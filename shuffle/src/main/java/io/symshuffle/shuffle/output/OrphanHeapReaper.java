// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.HostHeap;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.OrphanDirectory;
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
 * Frees memory and files of dead PEs of this host. Their map outputs are still read, and Spark
 * tells only living executors that a shuffle was unregistered. Therefore the living PE with the
 * lowest number frees the memory of the dead ones. There is one such PE at a time: numbers only
 * increase, so the next PE becomes responsible only when this one is dead.
 *
 * <p>It first erases entries of unregistered shuffles. When every shuffle that was leased at that
 * moment has been seen without a lease, it frees all memory and files that no published map output
 * uses: erased map outputs, map outputs that the dead PE itself had hidden, and data of its
 * unfinished tasks. When nothing is published anymore, it removes the heap's file.
 *
 * <p>{@link #reap} is called by one thread at a time, {@link #unregistered} by any.
 */
public final class OrphanHeapReaper {
  /**
   * How long unregistered shuffles are remembered: a PE that dies may not have processed those of
   * this period.
   */
  static final Duration END_NOTICE_LIMIT = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(OrphanHeapReaper.class);

  private final HostHeap heap;
  private final MapOutputs outputs;
  private final LeaseTable leases;
  private final HostPeMonitor pes;
  private final LongSupplier nanoClock;
  private final Map<Integer, Long> unregistered = new ConcurrentHashMap<>();
  private final Map<Integer, Progress> progress = new HashMap<>();

  /** Progress with one dead PE. */
  private static final class Progress {
    /** Shuffles leased when an entry was last erased, and not seen without a lease since. */
    private final Set<Integer> blockers;

    private boolean done;

    Progress(Set<Integer> blockers) {
      this.blockers = new HashSet<>(blockers);
    }
  }

  /**
   * Creates a reaper.
   *
   * @param heap this PE's heap
   * @param outputs the map outputs that this process has found
   * @param leases the leases of this process
   * @param pes the PEs of the host
   * @param nanoClock returns the time in nanoseconds
   */
  public OrphanHeapReaper(
      HostHeap heap,
      MapOutputs outputs,
      LeaseTable leases,
      HostPeMonitor pes,
      LongSupplier nanoClock) {
    this.heap = requireNonNull(heap, "heap is null");
    this.outputs = requireNonNull(outputs, "outputs is null");
    this.leases = requireNonNull(leases, "leases is null");
    this.pes = requireNonNull(pes, "pes is null");
    this.nanoClock = requireNonNull(nanoClock, "nanoClock is null");
  }

  /** Records that a shuffle was unregistered. */
  public void unregistered(int shuffleId) {
    unregistered.put(shuffleId, nanoClock.getAsLong());
  }

  /** Finds dead PEs and frees what can be freed; called periodically. */
  public void reap() {
    unmapUnlinked();
    long oldest = nanoClock.getAsLong() - END_NOTICE_LIMIT.toNanos();
    unregistered.values().removeIf(when -> when - oldest < 0);
    HostPeMonitor.PeLiveness liveness = pes.liveness();
    if (liveness.dead().isEmpty() || liveness.living().getFirst() != heap.myPe()) {
      progress.clear();
      return;
    }
    progress.keySet().retainAll(liveness.dead());
    for (int pe : liveness.dead()) {
      try {
        reap(pe);
      } catch (IOException | RuntimeException e) {
        // It is unknown what is in use, so keep everything until the application ends.
        LOG.debug("Memory and files of dead PE {} are not freed: {}", pe, e.toString());
      }
    }
  }

  private void reap(int pe) throws IOException {
    Optional<MemorySegment> window = heap.peer(pe);
    if (window.isEmpty()) {
      return;
    }
    Optional<OrphanDirectory> directory = OrphanDirectory.of(window.get());
    if (directory.isEmpty()) {
      heap.unlink(pe);
      return;
    }
    boolean erased = directory.get().erase(unregistered::containsKey) > 0;
    Progress ofPe = progress.get(pe);
    if (ofPe == null || erased) {
      // Read leases after erasing: see LeaseTable for why this order is safe.
      ofPe = new Progress(pes.leasedShuffles());
      progress.put(pe, ofPe);
    } else if (ofPe.done) {
      return;
    } else {
      ofPe.blockers.retainAll(pes.leasedShuffles());
    }
    if (ofPe.blockers.isEmpty()) {
      free(pe, directory.get().published(), window.get());
      ofPe.done = true;
    }
  }

  private void free(int pe, List<OrphanDirectory.Output> published, MemorySegment window)
      throws IOException {
    if (published.isEmpty()) {
      LOG.debug("Removing the heap of dead PE {}: nothing in it is needed anymore", pe);
      heap.unlink(pe);
      return;
    }
    Map<Long, Long> used = new TreeMap<>();
    Set<String> files = new HashSet<>();
    for (OrphanDirectory.Output output : published) {
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

  /** Adds the ranges of the window that a map output uses: its runs or tables, and its index. */
  private void addRanges(
      int pe, MemorySegment window, OrphanDirectory.Output output, Map<Long, Long> used)
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

  /** Unmaps removed files, which only take address space. */
  private void unmapUnlinked() {
    List<Integer> unlinked = new ArrayList<>(heap.unlinked());
    if (!unlinked.isEmpty()) {
      // Readers access windows: unmap while there is none and none can start.
      leases.runWhileNoLeases(
          () -> {
            unlinked.forEach(outputs::drop);
            unlinked.forEach(heap::unmap);
          });
    }
  }
}
