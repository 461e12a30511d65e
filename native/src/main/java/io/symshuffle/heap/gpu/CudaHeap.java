// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.SharedMemory;
import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.ffi.Descriptor;
import io.symshuffle.ffi.Errno;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeFile;
import io.symshuffle.heap.DeviceHeap;
import io.symshuffle.heap.DeviceMapping;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.gpu.DescriptorMessage.ChunkId;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
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
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The device heap in CUDA's virtual memory. No call is collective: a PE opens its heap alone, at
 * any time, and is then a full member. Memory is created in chunks when slabs need it, and
 * destroyed when the heap is idle.
 *
 * <p>PEs that see the same folder find each other there: each has a {@link ChunkDirectory} and a
 * {@link DescriptorServer}. A thread maps the chunks of all other PEs soon after they are created,
 * read-only, and keeps their descriptors. So what a PE has written outlives it while one PE is
 * left, and a PE that comes later gets the descriptors from that one. When the heap file of a dead
 * PE is removed, its chunks are unmapped, unless it has called {@link #keepMapped}. A PE without
 * access to its peers maps nothing of others, forms its own group, and its memory ends with it.
 *
 * <p>The memory of a destroyed chunk is free only after all PEs have unmapped it, which takes a
 * fraction of a second. If chunks are created meanwhile, the GPU may have no room for them.
 */
public final class CudaHeap implements DeviceHeap {
  /** How often to look for new chunks, destroyed ones and new PEs. */
  private static final Duration REFRESH = Duration.ofMillis(100);

  /** How long a PE that leaves waits until the others have all descriptors that it has. */
  private static final Duration LEAVE_LIMIT = Duration.ofSeconds(5);

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  /** The first offset of a slab: 0 means "nowhere", and large slabs stay aligned to 64 KiB. */
  private static final long FIRST_OFFSET = 64L << 10;

  private static final String LOCK_FILE = "gpu.lock";
  private static final Pattern TABLE_FILE = Pattern.compile("pe-(\\d{1,9})\\.gpu");
  private static final Logger LOG = LoggerFactory.getLogger(CudaHeap.class);

  private final HeapFolder folder;
  private final int myPe;
  private final CudaContext context;
  private final ChunkDirectory table;
  private final long group;
  private final boolean peerAccess;
  private final OwnWindow own;
  private final DescriptorServer server;
  private final SlabAllocator slabs;
  private final DescriptorClient client;
  private final Map<Integer, PeerWindow> peers = new ConcurrentHashMap<>();
  private final Map<Integer, String> refused = new ConcurrentHashMap<>();

  /** Dead PEs without a heap file; only for the thread that refreshes. */
  private final Set<Integer> unneeded = new HashSet<>();

  private final Thread watcher;
  private volatile boolean closed;

  private CudaHeap(
      HeapFolder folder,
      CudaContext context,
      ChunkDirectory table,
      long reserveBytes,
      boolean peerAccess) {
    this.folder = folder;
    this.myPe = table.pe();
    this.context = context;
    this.table = table;
    this.group = table.group();
    this.peerAccess = peerAccess;
    this.own = new OwnWindow(context, table, reserveBytes);
    this.slabs =
        new SlabAllocator(
            FIRST_OFFSET,
            table.windowBytes() - FIRST_OFFSET,
            own,
            Long.MAX_VALUE,
            table.chunkBytes(),
            1);
    this.client = new DescriptorClient(folder, myPe, this::pes);
    boolean serving = false;
    try {
      this.server = DescriptorServer.start(folder, myPe, this::duplicate);
      serving = true;
    } finally {
      if (!serving) {
        own.close();
      }
    }
    this.watcher = DaemonThreads.unstarted("symshuffle-device-peers", this::watch);
  }

  /** As below, with peer access, for a heap that may take all memory of the GPU. */
  public static CudaHeap open(
      CudaContext context, HeapFolder folder, int pe, long windowBytes, long chunkBytes) {
    return open(context, folder, pe, windowBytes, chunkBytes, 0, true);
  }

  /**
   * Opens the heap of this PE, and finds out whether the driver can share memory at all.
   *
   * @param folder the application's folder, which this process holds
   * @param pe number of this PE, 0 or more; an application uses each number only once
   * @param windowBytes the most memory that the heap may have, rounded up to whole chunks
   * @param chunkBytes how much memory to create at a time, rounded up to what the driver requires
   * @param reserveBytes memory of the GPU that the heap leaves free for others when it grows
   * @param peerAccess whether this PE and others read each other's memory in place; the same for
   *     all PEs of an application
   * @return the open heap, without memory
   * @throws HeapException when the heap cannot be opened, with the reason
   * @throws NativeCallException when the driver cannot share memory
   */
  public static CudaHeap open(
      CudaContext context,
      HeapFolder folder,
      int pe,
      long windowBytes,
      long chunkBytes,
      long reserveBytes,
      boolean peerAccess) {
    if (chunkBytes <= 0 || windowBytes <= 0 || windowBytes > Long.MAX_VALUE / 2) {
      throw new IllegalArgumentException(
          "cannot create a window of %d bytes in chunks of %d".formatted(windowBytes, chunkBytes));
    }
    long granularity = SharedMemory.granularity(context);
    probe(context, granularity);
    long chunk = roundUp(chunkBytes, granularity);
    ChunkDirectory table = join(folder, pe, roundUp(windowBytes, chunk), chunk, peerAccess);
    CudaHeap heap = null;
    try {
      heap = new CudaHeap(folder, context, table, reserveBytes, peerAccess);
      heap.tryRefresh();
      heap.watcher.start();
      return heap;
    } finally {
      if (heap == null) {
        table.close();
        delete(folder, pe);
      }
    }
  }

  /** Creates, exports and maps memory: attributes of a device say less. */
  private static void probe(CudaContext context, long bytes) {
    try (SharedMemory memory = context.createShared(bytes);
        Descriptor exported = memory.export();
        SharedMemory imported = context.importShared(exported, bytes)) {
      var addresses = context.reserveAddresses(bytes);
      try (addresses) {
        addresses.map(0, imported, false);
        addresses.unmap(0, bytes);
      }
    }
  }

  /** Creates the table of this PE, in the group of a PE that is alive if they have access. */
  private static ChunkDirectory join(
      HeapFolder folder, int pe, long windowBytes, long chunkBytes, boolean peerAccess) {
    // Two PEs that start at the same time would otherwise both start a group.
    try (NativeFile directory = lock(folder.path().resolve(LOCK_FILE))) {
      long group = pe;
      for (int other : peerAccess ? tables(folder) : List.<Integer>of()) {
        try (ChunkDirectory table = ChunkDirectory.open(folder, other).orElse(null)) {
          if (table != null && table.isOwnerAlive() && !table.hasLeft()) {
            group = table.group();
            break;
          }
        } catch (HeapException e) {
          LOG.debug("PE {} is not in the group", other, e);
        }
      }
      LOG.debug("PE {} joins the group of PE {} under {}", pe, group, directory.path());
      return ChunkDirectory.create(folder, pe, windowBytes, chunkBytes, group);
    }
  }

  private static NativeFile lock(Path path) {
    NativeFile file;
    try {
      file = NativeFile.create(path);
    } catch (NativeCallException e) {
      if (!e.is(Errno.EEXIST)) {
        throw e;
      }
      file = NativeFile.open(path).orElseThrow(() -> new HeapException(path + " is gone", e));
    }
    long start = System.nanoTime();
    while (!file.tryLock(NativeFile.LockMode.EXCLUSIVE)) {
      if (System.nanoTime() - start > CLOSE_LIMIT.toNanos()) {
        file.close();
        throw new HeapException(
            "another process has held the lock of %s for %d s: end it (fuser shows it)"
                .formatted(path, CLOSE_LIMIT.toSeconds()));
      }
      LockSupport.parkNanos(1_000_000);
    }
    return file;
  }

  /** The PEs that have tables. */
  private static List<Integer> tables(HeapFolder folder) {
    List<Integer> pes = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder.path(), "pe-*.gpu")) {
      for (Path file : files) {
        Matcher name = TABLE_FILE.matcher(file.getFileName().toString());
        if (name.matches()) {
          pes.add(Integer.valueOf(name.group(1)));
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw new HeapException("cannot list " + folder, e);
    }
    return pes;
  }

  private static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  @Override
  public int myPe() {
    return myPe;
  }

  @Override
  public List<Integer> pes() {
    TreeSet<Integer> pes = new TreeSet<>(peers.keySet());
    pes.add(myPe);
    return List.copyOf(pes);
  }

  /**
   * The first PE of all that have been there without interruption: when the last one is gone, so is
   * the memory, and the next one starts a new group.
   */
  @Override
  public String group() {
    return "CUDA since PE " + group;
  }

  @Override
  public long size() {
    return table.windowBytes();
  }

  @Override
  public DeviceRange window() {
    requireOpen();
    return own.range();
  }

  @Override
  public Optional<DeviceRange> range(int pe, long offset, long bytes) {
    requireOpen();
    if (pe == myPe) {
      return offset >= 0 && bytes > 0 && offset <= size() - bytes && own.hasMemory(offset, bytes)
          ? Optional.of(own.range().slice(offset, bytes))
          : Optional.empty();
    }
    return peer(pe).flatMap(peer -> peer.range(offset, bytes));
  }

  @Override
  public Optional<DeviceMapping> map(int pe, long offset, long bytes) {
    requireOpen();
    return pe == myPe
        ? range(pe, offset, bytes).map(range -> new DeviceMapping(range, () -> {}))
        : peer(pe).flatMap(peer -> peer.map(offset, bytes));
  }

  @Override
  public SlabAllocator slabs() {
    return slabs;
  }

  /** Keeps one chunk, for the next map output. */
  @Override
  public void trim() {
    slabs.trim(table.chunkBytes());
  }

  /** Does nothing: no call of this heap waits for a particular PE. */
  @Override
  public void lost(int pe) {}

  /**
   * Waits up to 5 s until each other PE has the descriptors of all memory, also of dead PEs, and
   * until there is another one: an executor may be about to start. A PE that joins meanwhile is
   * waited for; one that joins later cannot get the memory from this PE.
   */
  @Override
  public void leave() {
    leave(LEAVE_LIMIT);
  }

  void leave(Duration limit) {
    if (closed || table.hasLeft()) {
      return;
    }
    if (!peerAccess) {
      table.leave();
      return;
    }
    Map<Integer, Long> refreshes = new HashMap<>();
    long deadline = System.nanoTime() + limit.toNanos();
    while (!tryLeave(refreshes, System.nanoTime() - deadline >= 0)) {
      LockSupport.parkNanos(5_000_000);
    }
  }

  @Override
  public void keepMapped() {
    if (!closed) {
      table.keep();
    }
  }

  /** Leaves if the others have everything, or if it must. */
  private boolean tryLeave(Map<Integer, Long> refreshes, boolean must) {
    try {
      if (!must && !isHandedOver(refreshes)) {
        return false;
      }
    } catch (HeapException e) {
      // Without the folder nobody can ask for the memory.
      LOG.debug("PE {} leaves without a list of the others", myPe, e);
      table.leave();
      return true;
    }
    try (NativeFile directory = lock(folder.path().resolve(LOCK_FILE))) {
      if (!must && !isHandedOver(refreshes)) {
        return false;
      }
      LOG.debug("PE {} leaves {}", myPe, directory.path());
    } catch (HeapException | NativeCallException e) {
      LOG.debug("PE {} leaves without the lock of its folder", myPe, e);
    }
    table.leave();
    return true;
  }

  /**
   * Returns whether all others have completed two refreshes since this PE first counted theirs. One
   * is not enough, since it may have begun before.
   */
  private synchronized boolean isHandedOver(Map<Integer, Long> refreshes) {
    findPeers();
    boolean alone = true;
    boolean all = true;
    for (Map.Entry<Integer, PeerWindow> each : peers.entrySet()) {
      if (each.getValue().isMember()) {
        alone = false;
        long now = each.getValue().completedRefreshes();
        all &= now >= refreshes.computeIfAbsent(each.getKey(), pe -> now) + 2;
      }
    }
    return alone ? peers.isEmpty() && slabs.stats().usedBytes() == 0 : all;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    LockSupport.unpark(watcher);
    try {
      if (!watcher.join(CLOSE_LIMIT)) {
        LOG.warn(
            "The device heap stays mapped: its thread did not end within {} s",
            CLOSE_LIMIT.toSeconds());
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    server.close();
    peers.values().forEach(CudaHeap::close);
    close(own);
    close(table);
  }

  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      LOG.warn("Cannot release a part of the device heap", e);
    }
  }

  private Optional<Descriptor> duplicate(ChunkId id) {
    if (id.pe() == myPe) {
      return own.duplicate(id);
    }
    return Optional.ofNullable(peers.get(id.pe())).flatMap(peer -> peer.duplicate(id));
  }

  private Optional<PeerWindow> peer(int pe) {
    PeerWindow known = peers.get(pe);
    return known == null && pe >= 0 && peerAccess ? openPeer(pe) : Optional.ofNullable(known);
  }

  private synchronized Optional<PeerWindow> openPeer(int pe) {
    PeerWindow known = peers.get(pe);
    if (known != null || closed) {
      return Optional.ofNullable(known);
    }
    try {
      Optional<PeerWindow> opened =
          ChunkDirectory.open(folder, pe).map(found -> new PeerWindow(found, context, client));
      opened.ifPresent(window -> peers.put(pe, window));
      return opened;
    } catch (HeapException | NativeCallException e) {
      if (!e.getMessage().equals(refused.put(pe, e.getMessage()))) {
        LOG.warn("Cannot read the device heap of PE {} in place: {}", pe, e.getMessage());
      }
      return Optional.empty();
    }
  }

  private void watch() {
    while (!closed) {
      LockSupport.parkNanos(REFRESH.toNanos());
      tryRefresh();
    }
  }

  /** Refreshes once. What fails now may succeed the next time. */
  private void tryRefresh() {
    try {
      refresh();
    } catch (RuntimeException | InternalError e) {
      // InternalError: a table was truncated. Spark would end the executor because of it.
      LOG.debug("Cannot find the device heaps of other executors", e);
    }
  }

  private void refresh() {
    findPeers();
    Set<Integer> before = Set.copyOf(unneeded);
    unneeded.clear();
    boolean complete = true;
    for (Map.Entry<Integer, PeerWindow> each : peers.entrySet()) {
      if (closed) {
        return;
      }
      try {
        if (Files.notExists(folder.heapFile(each.getKey()))
            && !each.getValue().isOwnerAlive()
            && !each.getValue().isKept()) {
          unneeded.add(each.getKey());
        } else {
          complete &= each.getValue().refresh();
        }
      } catch (RuntimeException | InternalError e) {
        // InternalError: its table was truncated. This must not keep others from being mapped.
        LOG.debug("Cannot map the device heap of PE {}", each.getKey(), e);
      }
    }
    if (complete) {
      table.refreshed();
    }
    // When the application ends, its folder is removed, perhaps before this process's last kernels
    // are done, and a kernel that reads unmapped memory makes the GPU unusable. The second
    // refresh tells this from the removal of one file.
    if (Files.exists(folder.heapFile(myPe))) {
      unneeded.stream().filter(before::contains).forEach(this::drop);
    }
  }

  private void findPeers() {
    for (int pe : tables(folder)) {
      if (pe != myPe) {
        peer(pe);
      }
    }
  }

  /** Forgets a dead PE whose map outputs are all over. */
  private synchronized void drop(int pe) {
    LOG.debug("Unmapping the device heap of dead PE {}: nothing in it is needed anymore", pe);
    delete(folder, pe);
    close(peers.remove(pe));
  }

  private static void delete(HeapFolder folder, int pe) {
    try {
      Files.deleteIfExists(ChunkDirectory.path(folder, pe));
      Files.deleteIfExists(DescriptorServer.path(folder, pe));
    } catch (IOException e) {
      LOG.debug("Cannot remove the files of the device heap of PE {}", pe, e);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the device heap of PE " + myPe + " is closed");
    }
  }
}
