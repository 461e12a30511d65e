// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.core;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.HostHeap;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.shuffle.device.DeviceStats;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.OutputDirectory;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.output.HeapStorage;
import io.symshuffle.shuffle.output.HostPes;
import io.symshuffle.shuffle.output.MapOutputStore;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.OrphanHeapReaper;
import io.symshuffle.shuffle.output.OutputStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
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
 * the way to those of other PEs. The plugin starts and installs it before any task runs, and closes
 * it at the executor's end.
 *
 * <p>Thread-safe.
 */
public final class ShuffleRuntime implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShuffleRuntime.class);

  /** How often memory that readers still held is looked at again, in milliseconds. */
  private static final long RECLAIM_MILLIS = 200;

  /** After how many such rounds dead PEs are looked for, if no shuffle has ended meanwhile. */
  private static final int REAPING_ROUNDS = 10;

  private static final AtomicReference<ShuffleRuntime> CURRENT = new AtomicReference<>();
  private static final AtomicReference<String> UNAVAILABLE =
      new AtomicReference<>("the plugin io.symshuffle.SymShufflePlugin has not started here");
  private static final ShuffleStats DRIVER_STATS = new ShuffleStats();

  private final ShuffleConfig config;
  private final HostHeap heap;
  private final PeTable peers;
  private final ShuffleStats stats;
  private final Optional<DeviceTier> device;
  private final PartWrapper wrapper;
  private final SlabAllocator slabs;
  private final IdleTrimmer idleTrimmer;
  private final LeaseTable leases;
  private final MapOutputs outputs;
  private final HostPes pes;
  private final MapOutputStore store;
  private final OrphanHeapReaper orphanHeaps;

  /** Rounds of the reclaimer until dead PEs are looked for; 0 after the end of a shuffle. */
  private final AtomicInteger roundsUntilReaping = new AtomicInteger(REAPING_ROUNDS);

  private final StagingPool staging;
  private final Map<Class<?>, AutoCloseable> shared = new ConcurrentHashMap<>();
  private final ScheduledExecutorService reclaimer;

  private ShuffleRuntime(
      ShuffleConfig config,
      HostHeap heap,
      Path diskFolder,
      PeTable peers,
      ShuffleStats stats,
      Optional<DeviceTier> device,
      PartWrapper wrapper) {
    this.config = config;
    this.heap = heap;
    this.peers = peers;
    this.stats = stats;
    this.device = device;
    this.wrapper = wrapper;
    long arena = ControlDescriptor.BYTES;
    this.slabs = new SlabAllocator(arena, heap.size() - arena, heap.backing(), Long.MAX_VALUE);
    this.idleTrimmer = new IdleTrimmer(slabs, config.retainedBytes(), System::nanoTime);
    this.leases = new LeaseTable(heap.local());
    this.outputs = new MapOutputs(heap::peer);
    this.pes = new HostPes(heap, outputs);
    this.store =
        new MapOutputStore(
            wrapper.wrap(
                OutputStorage.class,
                new HeapStorage(heap.local(), slabs, device.map(DeviceTier::slabs), diskFolder)),
            wrapper.wrap(OutputDirectory.class, new Directory(heap.local(), heap.backing())),
            this::leasedOnThisHost);
    this.orphanHeaps = new OrphanHeapReaper(heap, outputs, leases, pes, System::nanoTime);
    this.staging = new StagingPool(config.stagingBytes());
    this.reclaimer =
        Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().daemon().name("symshuffle-reclaimer").unstarted(task));
    repeat(new RetryingTask("free shuffle memory", this::reclaim));
    repeat(new RetryingTask("free memory of dead executors", this::reapOrphans));
  }

  private void repeat(RetryingTask task) {
    var _ =
        reclaimer.scheduleWithFixedDelay(
            task, RECLAIM_MILLIS, RECLAIM_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Size of a window that has room for an arena, in bytes.
   *
   * @param arenaBytes what the slab allocator shall give out
   */
  public static long windowBytes(long arenaBytes) {
    return ControlDescriptor.BYTES + arenaBytes;
  }

  /**
   * Starts on a fresh heap and without a GPU; see the other one.
   *
   * @param config settings
   * @param heap the own heap, of {@link #windowBytes} bytes, all zero
   * @param diskFolder own private folder for the DISK tier; it exists
   * @param peers says which PE an executor is
   * @param stats counts
   * @throws IOException if the file system has no room even for the directory
   */
  public static ShuffleRuntime start(
      ShuffleConfig config, HostHeap heap, Path diskFolder, PeTable peers, ShuffleStats stats)
      throws IOException {
    return start(config, heap, diskFolder, peers, stats, Optional.empty(), PartWrapper.NONE);
  }

  /**
   * Starts on a fresh heap, which the runtime owns from then on, as it does the device tier.
   *
   * @param config settings
   * @param heap the own heap, of {@link #windowBytes} bytes, all zero
   * @param diskFolder own private folder for the DISK tier; it exists
   * @param peers says which PE an executor is
   * @param stats counts
   * @param device this executor's part in a device epoch, if it has one
   * @param wrapper wraps parts of it; {@link PartWrapper#NONE} outside of tests
   * @throws IOException if the file system has no room even for the directory
   */
  public static ShuffleRuntime start(
      ShuffleConfig config,
      HostHeap heap,
      Path diskFolder,
      PeTable peers,
      ShuffleStats stats,
      Optional<DeviceTier> device,
      PartWrapper wrapper)
      throws IOException {
    requireNonNull(config, "config is null");
    requireNonNull(heap, "heap is null");
    requireNonNull(diskFolder, "diskFolder is null");
    requireNonNull(peers, "peers is null");
    requireNonNull(stats, "stats is null");
    requireNonNull(device, "device is null");
    requireNonNull(wrapper, "wrapper is null");
    if (heap.size() <= ControlDescriptor.BYTES) {
      throw new IllegalArgumentException(
          "window of %d bytes has no room for an arena behind %d bytes of control region"
              .formatted(heap.size(), ControlDescriptor.BYTES));
    }
    long first = ControlDescriptor.tableOffset(1);
    if (!heap.backing().reserve(0, first)) {
      throw new IOException(
          "no room for %d bytes of directory: the file system of the heap is full"
              .formatted(first));
    }
    ControlView.create(heap.local(), diskFolder);
    return new ShuffleRuntime(config, heap, diskFolder, peers, stats, device, wrapper);
  }

  /** Makes it the one that tasks of this process use. */
  public static void install(ShuffleRuntime runtime) {
    CURRENT.set(requireNonNull(runtime, "runtime is null"));
  }

  /**
   * Says why there is none: tasks that need it fail with this sentence.
   *
   * @param reason a sentence, and what to do about it
   */
  public static void unavailable(String reason) {
    UNAVAILABLE.set(requireNonNull(reason, "reason is null"));
    CURRENT.set(null);
  }

  /** The one of this process; none on a driver that runs no tasks. */
  public static Optional<ShuffleRuntime> current() {
    return Optional.ofNullable(CURRENT.get());
  }

  /**
   * The one of this process.
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
    return DRIVER_STATS;
  }

  /** The settings. */
  public ShuffleConfig config() {
    return config;
  }

  /** The counters of this executor. */
  public ShuffleStats stats() {
    return stats;
  }

  /** Which PE an executor is. */
  public PeTable peers() {
    return peers;
  }

  /** This PE's number. */
  public int myPe() {
    return heap.myPe();
  }

  /** The leases of this PE's tasks. */
  public LeaseTable leases() {
    return leases;
  }

  /** The way to the map outputs of all PEs of the host. */
  public MapOutputs outputs() {
    return outputs;
  }

  /** The map outputs of this PE. */
  public MapOutputStore store() {
    return store;
  }

  /** Staging buffers. */
  public StagingPool staging() {
    return staging;
  }

  /** This executor's part in a device epoch; empty where it works on the host heap alone. */
  public Optional<DeviceTier> device() {
    return device;
  }

  /**
   * Something that tasks share and that is closed with this runtime, before its device tier.
   *
   * @param type its class, which is its name
   * @param create creates it when it is first asked for
   */
  public <T extends AutoCloseable> T shared(Class<T> type, Supplier<T> create) {
    return type.cast(shared.computeIfAbsent(type, t -> create.get()));
  }

  /** Wraps parts of the shuffle in tests. */
  public PartWrapper wrapper() {
    return wrapper;
  }

  /** What this executor has in GPU memory. */
  public DeviceStats deviceStats() {
    return device.map(DeviceTier::stats).orElse(DeviceStats.NONE);
  }

  /** What of the arena is used. */
  public SlabStats slabStats() {
    return slabs.stats();
  }

  /** Whether a PE's blocks are read in place. */
  public boolean readsInPlace(int pe) {
    try {
      return pe == heap.myPe() || (config.peerMapping() && outputs.reaches(pe));
    } catch (CorruptControlException | HeapException | InternalError e) {
      // InternalError: somebody has shortened the file, and there is no page.
      LOG.warn(
          "The heap of PE {} is damaged, its blocks come by block transfer: {}",
          pe,
          e.getMessage());
      return false;
    }
  }

  /** Which PE an executor is, if it is known; see {@link PeTable}. */
  public OptionalInt peOf(String executorId) {
    return peers.peOf(executorId);
  }

  /** Frees a shuffle's map outputs as soon as nobody reads them any more. */
  public void unregister(int shuffleId) {
    if (hide(shuffleId)) {
      new RetryingTask("free shuffle memory", this::reclaim).run();
    }
  }

  /** The same, but leaves the freeing to a background thread. */
  public void unregisterSoon(int shuffleId) {
    hide(shuffleId);
  }

  private boolean hide(int shuffleId) {
    outputs.forget(shuffleId);
    orphanHeaps.unregistered(shuffleId);
    roundsUntilReaping.set(0);
    return store.unregister(shuffleId);
  }

  /** Frees what is unregistered and not read any more, and what the heap has not used for long. */
  private void reclaim() {
    store.reclaim();
    idleTrimmer.look();
  }

  private void reapOrphans() {
    if (roundsUntilReaping.getAndUpdate(left -> left <= 0 ? REAPING_ROUNDS : left - 1) <= 0) {
      orphanHeaps.reap();
    }
  }

  private IntPredicate leasedOnThisHost() {
    return pes.leasedShuffles()::contains;
  }

  /** Ends the runtime, its heap and its device tier; no task may run any more. */
  @Override
  public void close() {
    CURRENT.compareAndSet(this, null);
    LOG.info("Shuffle data of this executor: {}", stats.summary());
    reclaimer.shutdownNow();
    try {
      if (!reclaimer.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.warn("The reclaimer does not end; the heap stays mapped");
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
