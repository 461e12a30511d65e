// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.output;

import io.symshuffle.heap.folder.FolderRemoval;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.heap.host.PeerHeaps;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.OrphanDirectory;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees memory and files of dead PEs of this host. Their map outputs are still read, and Spark
 * tells only living executors that a shuffle was unregistered. Therefore the living PE with the
 * lowest number frees the memory of the dead ones. Numbers only increase, so the next PE becomes
 * responsible only when this one is dead, unless one with a lower number starts later. Two PEs may
 * do this at the same time.
 *
 * <p>It first erases entries of ended shuffles, and damaged ones. When every shuffle that was
 * leased at that moment has been seen without a lease, it frees all memory and files that no
 * published map output uses: erased map outputs, map outputs that the dead PE itself had hidden,
 * and data of its unfinished tasks. When nothing is published anymore, it removes the heap's file.
 * Pods may share heaps but not their disks. If the responsible PE does not see those of a dead one,
 * others that do remove its files when they see that its heap's file is gone.
 *
 * <p>A damaged entry no longer says which memory it uses, and perhaps names another shuffle, so it
 * counts as one of an ended shuffle at once; otherwise nothing of its PE could be freed. So does an
 * entry whose index is damaged, which is found when memory is freed, as only then indexes are read.
 * As the leases on all shuffles are awaited, it does not matter which one it was. Only processes
 * that found the map output before the damage can still read it: those that read it now hold a
 * lease, and later {@link io.symshuffle.shuffle.directory.ControlView#isCurrent} tells them that
 * the entry has changed. All others get a fetch failure anyway. So at most this map output is
 * computed again. Other entries stay readable, since an erased one does not end a probe chain.
 *
 * <p>{@link #reap} is called by one thread at a time.
 */
public final class OrphanHeapReaper {
  private static final Logger LOG = LoggerFactory.getLogger(OrphanHeapReaper.class);

  private final HostHeap heap;
  private final PeerHeaps peers;
  private final MapOutputs outputs;
  private final LeaseTable leases;
  private final HostPeMonitor pes;
  private final EndedOutputs ended;
  private final Map<Integer, Progress> progress = new HashMap<>();

  /** Why the memory of dead PEs could not be freed, as it was last logged. */
  private final Map<Integer, String> failures = new HashMap<>();

  /** The folders on disk of all PEs whose disks this one sees. */
  private final Map<Integer, List<Path>> disks = new HashMap<>();

  /** Progress with one dead PE since an entry was last erased, by whichever PE. */
  private static final class Progress {
    /** How many map outputs were published then: dead PEs publish no more. */
    private final int published;

    /** Shuffles leased after that, and not seen without a lease since. */
    private final Set<Integer> blockers;

    private boolean done;

    Progress(int published, Set<Integer> blockers) {
      this.published = published;
      this.blockers = new HashSet<>(blockers);
    }
  }

  /**
   * @param peers the heaps that it reclaims; {@code heap} itself, except in tests
   * @param outputs the map outputs that this process has found
   * @param pes the PEs of the host
   * @param ended whether the shuffle of a map output has ended
   */
  public OrphanHeapReaper(
      HostHeap heap,
      PeerHeaps peers,
      MapOutputs outputs,
      LeaseTable leases,
      HostPeMonitor pes,
      EndedOutputs ended) {
    this.heap = heap;
    this.peers = peers;
    this.outputs = outputs;
    this.leases = leases;
    this.pes = pes;
    this.ended = ended;
  }

  /** Finds dead PEs and frees what can be freed; called periodically. */
  public void reap() {
    HostPeMonitor.PeLiveness liveness = pes.liveness();
    removeFilesOfUnlinked(liveness.living());
    unmapUnlinked(liveness.living());
    if (liveness.dead().isEmpty() || liveness.living().getFirst() != heap.myPe()) {
      progress.clear();
      return;
    }
    progress.keySet().retainAll(liveness.dead());
    for (int pe : liveness.dead()) {
      try {
        reap(pe);
      } catch (IOException | RuntimeException | InternalError e) {
        // It is unknown what is in use, so keep everything until the application ends.
        // InternalError: the file was truncated, and a page is missing.
        if (!e.toString().equals(failures.put(pe, e.toString()))) {
          LOG.warn("Keeping the memory and files of dead PE {} for now: {}", pe, e.toString());
        }
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
      peers.unlink(pe);
      return;
    }
    erase(pe, directory.get());
    // Read leases after erasing: see LeaseTable for why this order is safe. List what is published
    // before that: another PE may erase entries at any time, see above.
    List<OrphanDirectory.Output> published = directory.get().published();
    Progress ofPe = progress.get(pe);
    boolean changed = ofPe == null || ofPe.published != published.size();
    if (!changed && ofPe.done) {
      return;
    }
    Optional<Set<Integer>> leased = pes.leasedShuffles();
    if (leased.isEmpty()) {
      return;
    }
    if (changed) {
      ofPe = new Progress(published.size(), leased.get());
      progress.put(pe, ofPe);
    } else {
      ofPe.blockers.retainAll(leased.get());
    }
    if (ofPe.blockers.isEmpty()) {
      ofPe.done = free(pe, directory.get(), published, window.get());
    }
  }

  private void erase(int pe, OrphanDirectory directory) {
    RunFiles files = outputs.files(heap.diskFolders(pe));
    boolean visible = files.areVisible();
    List<MapOutputId> damaged =
        directory
            .erase(
                output ->
                    output.isDamaged()
                        || ended.test(output.id())
                        || (!visible && isGone(output, files)),
                change -> changeControl(pe, change))
            .stream()
            .filter(OrphanDirectory.Output::isDamaged)
            .map(OrphanDirectory.Output::id)
            .toList();
    if (!damaged.isEmpty()) {
      LOG.warn(
          "Erased damaged directory entries of dead PE {}, which name {}. Spark recomputes their"
              + " map outputs if tasks still need them",
          pe,
          damaged);
    }
  }

  /**
   * Whether the index of a map output was in a file that is gone, for example with the volume of a
   * dead pod. Nobody can read it, and nothing tells which memory it uses.
   */
  private static boolean isGone(OrphanDirectory.Output output, RunFiles files) {
    return output.place().tier() == Tier.DISK && Files.notExists(files.find(output.id()));
  }

  private void changeControl(int pe, Consumer<MemorySegment> change) {
    peers.changeDead(pe, ControlDescriptor.BYTES, change);
  }

  /** Returns false if entries had to be erased first. */
  private boolean free(
      int pe,
      OrphanDirectory directory,
      List<OrphanDirectory.Output> published,
      MemorySegment window)
      throws IOException {
    if (published.isEmpty()) {
      LOG.debug("Removing the heap of dead PE {}: nothing in it is needed anymore", pe);
      peers.unlink(pe);
      return true;
    }
    // An entry that was damaged since erase() ends this with an exception.
    Map<Long, Long> used = new TreeMap<>();
    Set<String> files = new HashSet<>();
    Set<MapOutputId> damaged = new HashSet<>();
    for (OrphanDirectory.Output output : published) {
      try {
        addRanges(pe, window, output, used);
      } catch (CorruptIndexException e) {
        damaged.add(output.id());
      }
      files.add(DiskFile.name(output.id()));
    }
    if (!damaged.isEmpty()) {
      LOG.warn(
          "Erasing directory entries of dead PE {} whose indexes are damaged, {}. Spark recomputes"
              + " their map outputs if tasks still need them",
          pe,
          damaged);
      // The next call awaits the leases of tasks that found them before.
      directory.erase(output -> damaged.contains(output.id()), change -> changeControl(pe, change));
      return false;
    }
    long end = ControlDescriptor.BYTES;
    for (Map.Entry<Long, Long> range : used.entrySet()) {
      release(pe, end, range.getKey());
      end = Math.max(end, range.getKey() + range.getValue());
    }
    release(pe, end, window.byteSize());
    for (Path folder : heap.diskFolders(pe)) {
      deleteOthers(folder, files);
    }
    return true;
  }

  /** Adds the ranges of the window that a map output uses: its runs or tables, and its index. */
  private void addRanges(
      int pe, MemorySegment window, OrphanDirectory.Output output, Map<Long, Long> used)
      throws IOException {
    if (output.place().tier() == Tier.HOST) {
      used.merge(output.place().offset(), output.place().bytes(), Math::max);
    }
    RunFiles files = outputs.files(heap.diskFolders(pe));
    MapOutput.open(pe, output.id(), output.place(), window, files, false)
        .addHostRanges((offset, bytes) -> used.merge(offset, bytes, Math::max));
  }

  private void release(int pe, long start, long end) {
    if (start < end) {
      peers.releaseDead(pe, start, end - start);
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

  private void removeFilesOfUnlinked(List<Integer> living) {
    Set<Integer> listed = Set.copyOf(heap.pes());
    try {
      for (int pe : listed) {
        if (!disks.containsKey(pe) && outputs.seesDisks(pe)) {
          disks.put(pe, heap.diskFolders(pe));
        }
      }
    } catch (RuntimeException | InternalError e) {
      // InternalError: see reap().
      LOG.debug("It is unknown which PEs share the disks of this one", e);
    }
    // The heap file of a living PE may have been deleted.
    disks
        .entrySet()
        .removeIf(
            ofPe ->
                !listed.contains(ofPe.getKey())
                    && !living.contains(ofPe.getKey())
                    && ofPe.getValue().stream().allMatch(FolderRemoval::remove));
  }

  /** Unmaps removed files, which only take address space. */
  private void unmapUnlinked(List<Integer> living) {
    List<Integer> unlinked = new ArrayList<>(heap.unlinked());
    // If the file of a living PE was deleted, its leases still have to be read.
    unlinked.removeAll(living);
    if (!unlinked.isEmpty()) {
      // Readers access windows: unmap while there is none and none can start.
      leases.runWhileNoLeases(
          () -> {
            unlinked.forEach(outputs::drop);
            unlinked.forEach(peers::unmap);
          });
    }
  }
}
