// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.ChunkGrid;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.heap.host.HeapAccess;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.heap.host.PeerHeaps;
import io.symshuffle.heap.host.ProcessMemory;
import io.symshuffle.heap.host.WindowCopies;
import io.symshuffle.shuffle.device.DeviceStats;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.Leases;
import io.symshuffle.shuffle.directory.OutputDirectory;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.output.DiskFolders;
import io.symshuffle.shuffle.output.EndedOutputs;
import io.symshuffle.shuffle.output.HeapStorage;
import io.symshuffle.shuffle.output.HostPeMonitor;
import io.symshuffle.shuffle.output.MapOutputStore;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.OrphanHeapReaper;
import io.symshuffle.shuffle.output.OutputLookup;
import io.symshuffle.shuffle.output.OutputStorage;
import io.symshuffle.shuffle.output.PeProbe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that the tasks of one executor share: its heap with directory, leases and slabs, and
 * access to those of other PEs. The plugin starts and installs it before any task runs, and closes
 * it when the executor shuts down.
 *
 * <p>Thread-safe.
 */
public final class ShuffleRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShuffleRuntime.class);

  /** Interval between attempts to reclaim memory, in milliseconds. */
  private static final long RECLAIM_MILLIS = 200;

  /** Attempts between two searches for dead PEs, unless a shuffle ends in between. */
  private static final int REAPING_ROUNDS = 10;

  private static final AtomicReference<ShuffleRuntime> CURRENT = new AtomicReference<>();
  private static final AtomicReference<String> UNAVAILABLE =
      new AtomicReference<>("the plugin io.symshuffle.SymShufflePlugin has not started here");
  private static final AtomicReference<ShuffleStats> DRIVER_STATS =
      new AtomicReference<>(new ShuffleStats());

  private final ShuffleConfig config;
  private final HostHeap heap;
  private final PeTable peers;
  private final ShuffleStats stats;
  private final Optional<DeviceTier> device;
  private final PartWrapper wrapper;
  private final Optional<WindowCopies> copies;
  private final SlabAllocator slabs;
  private final List<IdleTrimmer> idleTrimmers;
  private final PeerPages peerPages;
  private final LeaseTable leases;
  private final Leases wrappedLeases;
  private final MapOutputs outputs;
  private final OutputLookup lookup;
  private final HostPeMonitor pes;
  private final MapOutputStore store;
  private final OrphanHeapReaper orphanHeaps;

  /** Ended shuffles that tasks may still read, and whose indexes they may add again. */
  private final Set<Integer> forgotten = ConcurrentHashMap.newKeySet();

  /** Ids of executors whose map outputs a task could not read, most of them dead by now. */
  private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

  /** Attempts until the next search for dead PEs; 0 after a shuffle has ended. */
  private final AtomicInteger roundsUntilReaping = new AtomicInteger(REAPING_ROUNDS);

  private final StagingPool staging;
  private final Map<Class<?>, AutoCloseable> shared = new ConcurrentHashMap<>();
  private final ScheduledExecutorService reclaimer;

  private ShuffleRuntime(
      ShuffleConfig config,
      HostHeap heap,
      List<Path> diskFolders,
      PeTable peers,
      ShuffleStats stats,
      Optional<DeviceTier> device,
      PartWrapper wrapper,
      Optional<WindowCopies> copies) {
    this.config = config;
    this.heap = heap;
    this.peers = peers;
    this.stats = stats;
    this.device = device;
    this.wrapper = wrapper;
    this.copies = copies;
    PeerHeaps heaps = wrapper.wrap(PeerHeaps.class, heap);
    long arena = ControlDescriptor.BYTES;
    this.slabs =
        new SlabAllocator(
            arena,
            heap.size() - arena,
            wrapper.wrap(SlabBacking.class, heap.limitedBacking()),
            Long.MAX_VALUE,
            ChunkGrid.CHUNK_BYTES,
            heap.files());
    this.staging = new StagingPool(config.stagingBytes());
    this.idleTrimmers = new ArrayList<>();
    idleTrimmers.add(
        new IdleTrimmer(
            () -> slabs.stats().usedBytes(),
            () -> {
              slabs.trim(config.retainedBytes());
              staging.trim();
            },
            System::nanoTime));
    device.ifPresent(
        tier ->
            idleTrimmers.add(
                new IdleTrimmer(
                    () -> tier.slabs().stats().usedBytes(), tier::trim, System::nanoTime)));
    this.peerPages =
        new PeerPages(
            config.mappedPeerBytes(),
            heap::dropPeerPages,
            () -> ProcessMemory.mappedBytes() - slabs.stats().backedBytes());
    this.leases = new LeaseTable(heap.local());
    this.wrappedLeases = wrapper.wrap(Leases.class, leases);
    this.outputs = new MapOutputs(heaps::peer, config.encryption());
    this.lookup = wrapper.wrap(OutputLookup.class, outputs);
    this.pes = new HostPeMonitor(heap, outputs, wrapper.wrap(PeProbe.class, heap::isAlive));
    this.store =
        new MapOutputStore(
            wrapper.wrap(
                OutputStorage.class,
                new HeapStorage(
                    heap.local(),
                    slabs,
                    device.map(DeviceTier::slabs),
                    new DiskFolders(diskFolders, config.encryption(), config.compression()),
                    copies)),
            wrapper.wrap(
                OutputDirectory.class, new Directory(heap.local(), orIdle(heap.backing()))),
            this::leasedOnThisHost);
    this.orphanHeaps =
        new OrphanHeapReaper(
            heap, heaps, outputs, leases, pes, wrapper.wrap(EndedOutputs.class, store::hasEnded));
    this.reclaimer =
        Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("symshuffle-reclaimer"));
    repeat("free shuffle memory", this::reclaim);
    repeat("free memory of dead executors", this::reapOrphans);
  }

  /** Memory for the directory: of the file system or, if that is full, idle memory of the heap. */
  private SlabBacking orIdle(SlabBacking backing) {
    return new SlabBacking() {
      @Override
      public boolean reserve(long offset, long bytes) {
        if (backing.reserve(offset, bytes)) {
          return true;
        }
        slabs.trim(0);
        return backing.reserve(offset, bytes);
      }

      @Override
      public void release(long offset, long bytes) {
        backing.release(offset, bytes);
      }
    };
  }

  /**
   * Runs an action every 200 ms on the thread that frees memory, until this runtime is closed.
   *
   * @param what the action for the log, as the end of a sentence that starts with "Cannot"
   */
  public void repeat(String what, Runnable action) {
    var unused =
        reclaimer.scheduleWithFixedDelay(
            new RetryingTask(what, action), RECLAIM_MILLIS, RECLAIM_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Size of a window with an arena, in bytes.
   *
   * @param arenaBytes memory for the slab allocator, in bytes
   */
  public static long windowBytes(long arenaBytes) {
    return ControlDescriptor.BYTES + arenaBytes;
  }

  /** As below, without a GPU. */
  public static ShuffleRuntime start(
      ShuffleConfig config,
      HostHeap heap,
      List<Path> diskFolders,
      PeTable peers,
      ShuffleStats stats)
      throws IOException {
    return start(config, heap, diskFolders, peers, stats, Optional.empty(), PartWrapper.NONE);
  }

  /**
   * Starts on a fresh heap. The runtime takes ownership of the heap and the device tier.
   *
   * @param heap this PE's heap, of {@link #windowBytes} bytes, all zero
   * @param diskFolders this PE's private folders for the DISK tier, which exist, at least one
   * @param device this executor's device heap, if it has one
   * @param wrapper wraps parts of the shuffle; {@link PartWrapper#NONE} except in tests
   * @throws IOException if the file system has no space for the directory
   */
  public static ShuffleRuntime start(
      ShuffleConfig config,
      HostHeap heap,
      List<Path> diskFolders,
      PeTable peers,
      ShuffleStats stats,
      Optional<DeviceTier> device,
      PartWrapper wrapper)
      throws IOException {
    if (heap.size() <= ControlDescriptor.BYTES) {
      throw new IllegalArgumentException(
          "window of %d bytes has no space for an arena after the control region of %d bytes"
              .formatted(heap.size(), ControlDescriptor.BYTES));
    }
    long first = ControlDescriptor.tableOffset(1);
    if (!heap.backing().reserve(0, first)) {
      throw new IOException(
          "no space for a directory of %d bytes: the file system of the heap is full"
              .formatted(first));
    }
    ControlView.create(heap.local(), diskFolders);
    // Tables are copied from GPUs to mapped memory.
    HeapAccess access = device.isPresent() ? HeapAccess.MAPPED : config.heapAccess();
    Optional<WindowCopies> copies =
        switch (access) {
          case AUTO -> heap.copies(first);
          case MAPPED -> Optional.empty();
          case COPIED -> Optional.of(heap.copying());
        };
    return new ShuffleRuntime(config, heap, diskFolders, peers, stats, device, wrapper, copies);
  }

  /** Installs the runtime that tasks of this process use. */
  public static void install(ShuffleRuntime runtime) {
    CURRENT.set(runtime);
  }

  /**
   * Removes the runtime of this process; tasks that need it fail with the reason.
   *
   * @param reason what happened and how to fix it
   */
  public static void unavailable(String reason) {
    UNAVAILABLE.set(reason);
    CURRENT.set(null);
  }

  /** The runtime of this process; empty on a driver that runs no tasks. */
  public static Optional<ShuffleRuntime> current() {
    return Optional.ofNullable(CURRENT.get());
  }

  /**
   * Returns the runtime of this process.
   *
   * @throws IllegalStateException if there is none, with the reason
   */
  public static ShuffleRuntime require() {
    ShuffleRuntime runtime = CURRENT.get();
    if (runtime == null) {
      throw new IllegalStateException("this executor cannot shuffle: " + UNAVAILABLE.get());
    }
    return runtime;
  }

  /** Counts what happens on the driver: shuffles registered and delegated. */
  public static ShuffleStats driverStats() {
    return DRIVER_STATS.get();
  }

  /** Starts to count from 0, for a new application of this process. */
  public static void resetDriverStats() {
    DRIVER_STATS.set(new ShuffleStats());
  }

  /** The settings. */
  public ShuffleConfig config() {
    return config;
  }

  /** The counters of this executor. */
  public ShuffleStats stats() {
    return stats;
  }

  /** Maps executors to PEs. */
  public PeTable peers() {
    return peers;
  }

  /** This PE's number. */
  public int myPe() {
    return heap.myPe();
  }

  /** This PE's heap, and those of other PEs of the host. */
  public HostHeap heap() {
    return heap;
  }

  /** The slabs of this PE's heap. */
  public SlabAllocator slabs() {
    return slabs;
  }

  /** The leases of this PE's tasks. */
  public Leases leases() {
    return wrappedLeases;
  }

  /** Limits how much of other PEs' windows stays mapped. */
  public PeerPages peerPages() {
    return peerPages;
  }

  /** How to read and write heaps without mapping their pages; empty if mapping them is faster. */
  public Optional<WindowCopies> copies() {
    return copies;
  }

  /** Finds map outputs of all PEs of the host. */
  public OutputLookup outputs() {
    return lookup;
  }

  /** The map outputs of this PE. */
  public MapOutputStore store() {
    return store;
  }

  /** Staging buffers. */
  public StagingPool staging() {
    return staging;
  }

  /** This executor's device heap; empty if it only uses the host heap. */
  public Optional<DeviceTier> device() {
    return device;
  }

  /**
   * Returns an object that tasks share; it is closed with this runtime, before the device tier.
   *
   * @param type its class, which identifies it
   * @param create creates it at the first call
   */
  public <T extends AutoCloseable> T shared(Class<T> type, Supplier<T> create) {
    return type.cast(shared.computeIfAbsent(type, t -> create.get()));
  }

  /** Wraps parts of the shuffle in tests. */
  public PartWrapper wrapper() {
    return wrapper;
  }

  /** Statistics of this executor's GPU memory. */
  public DeviceStats deviceStats() {
    return device.map(DeviceTier::stats).orElse(DeviceStats.NONE);
  }

  /** Statistics of the arena. */
  public SlabStats slabStats() {
    return slabs.stats();
  }

  /** Whether a PE's blocks are read in place. */
  public boolean readsInPlace(int pe) {
    try {
      return pe == heap.myPe() || (config.peerMapping() && outputs.isMapped(pe));
    } catch (CorruptControlException | HeapException | NativeCallException | InternalError e) {
      // InternalError: the file was truncated, and a page is missing.
      LOG.warn(
          "Cannot use the heap of PE {}; fetching its blocks through Spark's block transfer: {}",
          pe,
          e.getMessage());
      return false;
    }
  }

  /**
   * Whether this process can read the disk folders of a PE that it {@linkplain #readsInPlace reads
   * in place}. Executors in other pods may share the folder for heaps, but not their disks.
   */
  public boolean seesDisks(int pe) {
    return pe == heap.myPe() || outputs.seesDisks(pe);
  }

  /** Whether a PE of this host that has started is dead. */
  public boolean isDead(int pe) {
    return pes.isDead(pe);
  }

  /** Notes that a task could not read map outputs of an executor. */
  public void readFailed(String executorId) {
    unreadable.add(executorId);
  }

  /** Whether any task of this process could not read map outputs of an executor. */
  public boolean hasReadFailed(String executorId) {
    return unreadable.contains(executorId);
  }

  /** The PEs of this host, also dead ones, whose map outputs are read in place; this one first. */
  public List<Integer> readablePes() {
    List<Integer> pes = new ArrayList<>(List.of(heap.myPe()));
    try {
      heap.pes().stream().filter(pe -> pe != heap.myPe() && readsInPlace(pe)).forEach(pes::add);
    } catch (HeapException e) {
      LOG.warn("Cannot answer for other executors of this host: {}", e.getMessage());
    }
    return pes;
  }

  /** Frees a shuffle's map outputs on this PE as soon as no task reads them. */
  public void unregister(int shuffleId) {
    forget(shuffleId);
    if (store.unregister(shuffleId)) {
      new RetryingTask("free shuffle memory", this::reclaim).run();
    }
  }

  /**
   * Frees, on a background thread, the map outputs of an ended shuffle on this PE and on dead PEs.
   *
   * @param lastTaskId the highest id of a task that Spark started before the shuffle ended; map
   *     outputs of later tasks are those of a new run of the shuffle, and stay
   */
  public void ended(int shuffleId, long lastTaskId) {
    forget(shuffleId);
    store.end(shuffleId, lastTaskId);
    roundsUntilReaping.set(0);
  }

  private void forget(int shuffleId) {
    outputs.forget(shuffleId);
    forgotten.add(shuffleId);
  }

  private boolean forgetUnread(int shuffleId) {
    if (leases.isLeased(shuffleId)) {
      return false;
    }
    outputs.forget(shuffleId);
    return true;
  }

  /** Frees unregistered map outputs without readers, and trims an idle heap. */
  private void reclaim() {
    forgotten.removeIf(this::forgetUnread);
    store.reclaim();
    idleTrimmers.forEach(IdleTrimmer::trimIfIdle);
    peerPages.dropIfIdle(leases.size() > 0);
  }

  private void reapOrphans() {
    if (roundsUntilReaping.getAndUpdate(left -> left <= 0 ? REAPING_ROUNDS : left - 1) <= 0) {
      orphanHeaps.reap();
    }
  }

  private IntPredicate leasedOnThisHost() {
    return pes.leasedShuffles().<IntPredicate>map(leased -> leased::contains).orElse(any -> true);
  }

  /**
   * Frees no memory in the background from now on; for an application that ends while tasks may
   * still run. It would warn that the application's folder is gone.
   */
  public void stopReclaiming() {
    reclaimer.shutdown();
  }

  /** See {@link HostHeap#leaveFolder}. */
  public void leaveFolder() {
    heap.leaveFolder();
  }

  /**
   * Removes the heap and its files on disk if there is no map output; otherwise gives back the
   * memory that none uses. For an executor that stops while the application continues, since it may
   * be the last one of its host. No task may be running.
   */
  public void leaveUnused() {
    store.reclaim();
    if (store.isUnused()) {
      // The kernel frees the memory when this process ends. YARN may kill it before it has done so.
      heap.remove();
    } else {
      slabs.trim(0);
    }
  }

  /** Closes the runtime, its heap and its device tier; no task may be running. */
  @Override
  public void close() {
    CURRENT.compareAndSet(this, null);
    LOG.info("Shuffle data of this executor: {}", stats.summary());
    reclaimer.shutdownNow();
    try {
      if (!reclaimer.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.warn("The reclaimer thread did not stop; the heap stays mapped");
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    shared.values().forEach(this::close);
    device.ifPresent(DeviceTier::close);
    heap.close();
  }

  private void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      LOG.warn("Cannot close {}: {}", part.getClass().getSimpleName(), e.toString());
    }
  }
}
