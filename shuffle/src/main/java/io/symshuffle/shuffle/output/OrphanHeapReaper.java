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
 * tells only living executors that a shuffle is over. So the living PE with the lowest number frees
 * for the dead ones. There is one such PE at a time: numbers only grow, so the next one has its
 * turn only when this one is dead.
 *
 * <p>Entries of unregistered shuffles are erased first. When every shuffle that was leased at that
 * moment has been seen without a lease, all memory and files are freed that no published map output
 * names: what was erased, what the dead PE had hidden itself, and what its unfinished tasks had
 * written. When nothing is published anymore, the heap's file is removed.
 *
 * <p>{@link #reap} is called by one thread at a time, {@link #unregistered} by any.
 */
public final class OrphanHeapReaper {
  /** How long after a shuffle's end a PE may die without having been told of it. */
  static final Duration END_NOTICE_LIMIT = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(OrphanHeapReaper.class);

  private final HostHeap heap;
  private final MapOutputs outputs;
  private final LeaseTable leases;
  private final HostPes pes;
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
   * Starts with nothing known of dead PEs.
   *
   * @param heap the own heap
   * @param outputs the map outputs that this process has found
   * @param leases the leases of this process
   * @param pes the PEs of the host
   * @param nanoClock the time in nanoseconds
   */
  public OrphanHeapReaper(
      HostHeap heap, MapOutputs outputs, LeaseTable leases, HostPes pes, LongSupplier nanoClock) {
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

  /** Looks for dead PEs and frees what can be freed; called periodically. */
  public void reap() {
    unmapUnlinked();
    long oldest = nanoClock.getAsLong() - END_NOTICE_LIMIT.toNanos();
    unregistered.values().removeIf(when -> when - oldest < 0);
    HostPes.PeLiveness liveness = pes.liveness();
    if (liveness.dead().isEmpty() || liveness.living().getFirst() != heap.myPe()) {
      progress.clear();
      return;
    }
    progress.keySet().retainAll(liveness.dead());
    for (int pe : liveness.dead()) {
      try {
        reap(pe);
      } catch (IOException | RuntimeException e) {
        // It is unknown what is in use, so all of it stays until the application ends.
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
      // After the erasing: see LeaseTable for why this order is safe.
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
      LOG.debug("Nothing of dead PE {} is needed anymore", pe);
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

  /** The parts of the window that a map output uses: its runs or tables, and its index. */
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

  /** A mapping of a file that is removed is only address space; unmap it. */
  private void unmapUnlinked() {
    List<Integer> unlinked = new ArrayList<>(heap.unlinked());
    if (!unlinked.isEmpty()) {
      // Tasks that read look into windows: unmap while there is none and none can start.
      leases.runWhileNone(
          () -> {
            unlinked.forEach(outputs::drop);
            unlinked.forEach(heap::unmap);
          });
    }
  }
}
