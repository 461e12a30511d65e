// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.ffi.MappedFile;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeFile;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.heap.folder.BootId;
import io.symshuffle.heap.folder.FolderRemoval;
import io.symshuffle.heap.folder.FolderSweep;
import io.symshuffle.heap.folder.HeapFile;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.folder.HeapHeader;
import io.symshuffle.heap.folder.HeapHeaderDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heap of one host: POSIX shared memory, with one file or a few per PE in the application's
 * private folder. Each PE has one window, and all PEs of the host access it directly. PEs are
 * numbered from 0; windows may differ in length, and an offset is relative to its PE's window.
 *
 * <p>A PE writes to its own window only; those of other PEs are mapped for reading, so that a stray
 * store cannot change their data. {@link #changeDead} and {@link #mapForWriting} are the
 * exceptions.
 *
 * <p>This PE's file is sparse; {@link #backing()} reserves its memory. Reserve a range before
 * writing to it: writing to a hole raises {@link InternalError} when the file system is full. Holes
 * read as zeros.
 *
 * <p>Files outlive their PE: the window of a dead or closed PE stays readable until {@link
 * HeapFolder#remove} or a sweep. After {@link #close()}, raw addresses of a segment read as zeros
 * (see {@link io.symshuffle.ffi.MappedFile}).
 *
 * <p>Thread-safe, including {@link #close()}; any thread may access the segments. The heap does not
 * order accesses by several threads or PEs to the same bytes; use loads and stores with acquire and
 * release order.
 *
 * <p>After {@link #close()}, segments refuse access, and every method except {@code close}, {@code
 * myPe} and {@code size} throws {@link IllegalStateException}.
 */
public final class HostHeap implements PeerHeaps, WindowCopies, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HostHeap.class);

  /** Window lengths are rounded up to this, the largest page size in use on Linux. */
  private static final long GRANULE = 64L << 10;

  /**
   * If the first access to a page takes this long, copying the page is faster. On 2 cores it took 4
   * to 9 µs with page tables that a hypervisor copies, and it is less than 0.1 µs with those that
   * the processor reads; to copy a page takes about 0.5 µs in each direction.
   */
  private static final long SLOW_ACCESS_NANOS = 2_000;

  private final HeapFolder folder;
  private final int myPe;
  private final NativeFile hold;
  private final HeapFile own;
  private final HostBacking backing;
  private final LimitedBacking limitedBacking;

  /** The mapped files by PE; empty once the heap is closed. */
  private final Map<Integer, HeapFile> files = new ConcurrentHashMap<>();

  private final Object lock = new Object();

  @GuardedBy("lock")
  private boolean closed;

  @GuardedBy("lock")
  private final List<NativeFile> moreHolds = new ArrayList<>();

  private HostHeap(HeapFolder folder, int myPe, NativeFile hold, HeapFile own) {
    this.folder = folder;
    this.myPe = myPe;
    this.hold = hold;
    this.own = own;
    this.backing = new HostBacking(own.mapped());
    this.limitedBacking = LimitedBacking.ofProcess(backing);
    files.put(myPe, own);
  }

  /**
   * Creates the heap of this PE: its file in the folder, locked for as long as the heap is open.
   *
   * @param pe number of this PE, 0 or more; an application uses each number only once
   * @param bytes length of the window, rounded up to 64 KiB; memory is reserved later
   * @throws HeapException when the file cannot be created, with the reason and the remedy
   */
  public static HostHeap create(HeapFolder folder, int pe, long bytes) {
    return create(folder, pe, bytes, 1);
  }

  /**
   * As above, in several files.
   *
   * @param files how many, 1 to {@link HeapHeader#MAX_FILES}; a small heap may have fewer
   */
  public static HostHeap create(HeapFolder folder, int pe, long bytes, int files) {
    if (bytes <= 0 || bytes > Long.MAX_VALUE / 2) {
      throw new IllegalArgumentException("cannot create a window of " + bytes + " bytes");
    }
    NativeFile hold = folder.hold();
    try {
      long windowBytes = (bytes + GRANULE - 1) / GRANULE * GRANULE;
      HeapHeader header =
          new HeapHeader(
              pe,
              windowBytes,
              ProcessHandle.current().pid(),
              BootId.hash(),
              folder.token(),
              HeapHeader.stripeBytes(windowBytes, files),
              folder.diskBases());
      return new HostHeap(folder, pe, hold, HeapFile.create(folder.heapFile(pe), header));
    } catch (RuntimeException e) {
      hold.close();
      throw e;
    }
  }

  @Override
  public int myPe() {
    return myPe;
  }

  /** Returns the length of this PE's window in bytes. */
  public long size() {
    return own.header().windowBytes();
  }

  /** Returns the number of files that this PE's window is divided into, 1 or more. */
  public int files() {
    return own.header().files();
  }

  /** Returns this PE's window: {@link #size()} bytes whose first byte is page-aligned. */
  public MemorySegment local() {
    return existing(myPe).window();
  }

  @Override
  public Optional<MemorySegment> peer(int pe) {
    return file(pe).map(HeapFile::window);
  }

  /**
   * Returns whether the process that created a PE's file is alive and has its heap open. Works
   * across containers that share the folder, since it checks the file's lock, not a process id. If
   * the PE's window is mapped here, this also works for a deleted file.
   *
   * @param pe number of the PE, 0 or more
   * @return false when the PE is dead, has closed its heap or has not started yet
   * @throws HeapException when the PE's file is not a valid heap file, or cannot be opened
   * @throws io.symshuffle.ffi.NativeCallException when the file's lock cannot be tested
   */
  public boolean isAlive(int pe) {
    existing(myPe);
    if (pe == myPe) {
      return true;
    }
    HeapFile mapped = files.get(pe);
    return mapped != null ? mapped.isLocked() : HeapFile.isLocked(folder.heapFile(pe));
  }

  /** Registers a hold on another folder, to be closed with this heap. */
  public void alsoHold(NativeFile hold) {
    synchronized (lock) {
      if (!closed) {
        moreHolds.add(hold);
        return;
      }
    }
    hold.close();
  }

  /**
   * Lists the PEs of this host that have a heap file, alive or not.
   *
   * @return their numbers, ascending
   * @throws HeapException when the folder cannot be listed
   */
  public List<Integer> pes() {
    return folder.pes();
  }

  /**
   * Returns the header of a PE's file.
   *
   * @param pe number of the PE, 0 or more
   * @return its header; empty when that PE has not started yet
   * @throws HeapException when the PE's file is not a valid heap file
   */
  public Optional<HeapHeader> header(int pe) {
    return file(pe).map(HeapFile::header);
  }

  /**
   * Returns the backing of this PE's window, for small amounts that a PE cannot do without.
   * Reserving allocates pages for the range and maps them in this process; releasing punches a
   * hole.
   *
   * @return the backing; it refuses use after {@link #close()}
   */
  public SlabBacking backing() {
    return backing;
  }

  /**
   * Returns the backing of this PE's window for a {@link SlabAllocator}: as {@link #backing()}, but
   * reserving fails before the memory limit of the process's control group is reached.
   *
   * @return the backing; it refuses use after {@link #close()}
   */
  public SlabBacking limitedBacking() {
    return limitedBacking;
  }

  /**
   * Lets {@link #limitedBacking()} leave room for memory outside of the JVM, such as pinned memory.
   *
   * @param bytes returns how much of it this process may still allocate, in bytes; called by any
   *     thread
   */
  public void leaveRoom(LongSupplier bytes) {
    limitedBacking.leaveRoom(bytes);
  }

  /**
   * Returns a way to read and write windows without mapping their pages, if that is faster on this
   * machine than mapping them, and reserves memory without mapping it from then on. If it cannot be
   * measured, for example because mmap fails, memory is mapped.
   *
   * @param bytes how much to map for the measurement, a multiple of 64 KiB from the start of this
   *     PE's window, which has been reserved
   */
  public Optional<WindowCopies> copies(long bytes) {
    long nanos;
    try {
      nanos = own.mapped().firstAccessNanos(HeapHeaderDescriptor.WINDOW_OFFSET, bytes);
    } catch (NativeCallException e) {
      LOG.info("Mapping the heap, since its first access cannot be measured: {}", e.getMessage());
      return Optional.empty();
    }
    if (nanos < SLOW_ACCESS_NANOS) {
      return Optional.empty();
    }
    LOG.info(
        "The first access to a page of shared memory takes {} ns on this machine: map outputs are"
            + " copied to and from the heap instead of mapping it",
        nanos);
    return Optional.of(copying());
  }

  /**
   * Reserves memory without mapping it from now on, and returns a way to read and write windows.
   */
  public WindowCopies copying() {
    backing.stopMapping();
    return this;
  }

  @Override
  public void read(int pe, long offset, MemorySegment to) {
    HeapFile file = existing(pe);
    checkRange(pe, offset, to.byteSize(), file.window());
    long read;
    try {
      read = file.mapped().file().read(HeapHeaderDescriptor.WINDOW_OFFSET + offset, to);
    } catch (NativeCallException e) {
      throw new HeapException("cannot read the heap of PE %d: %s".formatted(pe, e.getMessage()), e);
    }
    if (read < to.byteSize()) {
      throw new HeapException(
          "the heap file of PE %d ends after %d of %d bytes at %d: it was truncated"
              .formatted(pe, read, to.byteSize(), offset));
    }
  }

  @Override
  public void write(long offset, MemorySegment from) {
    checkRange(myPe, offset, from.byteSize(), local());
    try {
      own.mapped().file().write(HeapHeaderDescriptor.WINDOW_OFFSET + offset, from);
    } catch (NativeCallException e) {
      throw new HeapException("cannot write to this PE's heap: " + e.getMessage(), e);
    }
  }

  /**
   * Returns the folders of a PE's runs on disk, as its file's header names them. They may not
   * exist.
   *
   * @param pe number of a PE that has a heap file, alive or not
   * @return the paths, inside the application's own folders on that PE's disks
   */
  public List<Path> diskFolders(int pe) {
    return existing(pe).header().diskBases().stream()
        .map(base -> base.resolve(folder.path().getFileName()).resolve(HeapFolder.diskName(pe)))
        .toList();
  }

  @Override
  public void changeDead(int pe, long bytes, Consumer<MemorySegment> change) {
    checkDead(pe);
    HeapFile file = existing(pe);
    checkRange(pe, 0, bytes, file.window());
    file.mapped().change(HeapHeaderDescriptor.WINDOW_OFFSET, bytes, change);
  }

  /**
   * Maps a range of another PE's window for reading and writing, until an arena is closed.
   *
   * @param offset first byte in that PE's window, which must be backed; its PE gave it to this one
   * @param bytes length, more than 0
   */
  public MemorySegment mapForWriting(int pe, long offset, long bytes, Arena until) {
    HeapFile file = existing(pe);
    checkRange(pe, offset, bytes, file.window());
    return file.mapped().mapForWriting(HeapHeaderDescriptor.WINDOW_OFFSET + offset, bytes, until);
  }

  @Override
  public void releaseDead(int pe, long offset, long bytes) {
    checkDead(pe);
    HeapFile file = existing(pe);
    checkRange(pe, offset, bytes, file.window());
    file.mapped().file().punchHole(HeapHeaderDescriptor.WINDOW_OFFSET + offset, bytes);
  }

  @Override
  public void unlink(int pe) {
    checkDead(pe);
    HeapFile file = existing(pe);
    // First, since only the heap file's header names it for others that remove the folders.
    removeDiskFolders(pe);
    try {
      // Release the memory now, since other processes may keep the file mapped for a while.
      file.mapped().file().punchHole(0, file.mapped().memory().byteSize());
    } catch (RuntimeException e) {
      LOG.debug("The memory of PE {} is in use until all processes have unmapped its file", pe, e);
    }
    file.remove();
  }

  private void removeDiskFolders(int pe) {
    for (Path diskFolder : diskFolders(pe)) {
      FolderRemoval.remove(diskFolder);
      FolderSweep.removeIfEmpty(diskFolder.getParent());
    }
  }

  /** Returns the PEs whose window is mapped here, including this PE. */
  public Set<Integer> mapped() {
    return Set.copyOf(files.keySet());
  }

  /** Returns the PEs whose file is gone but whose window is still mapped here. */
  public List<Integer> unlinked() {
    return files.keySet().stream()
        .filter(pe -> pe != myPe && Files.notExists(folder.heapFile(pe)))
        .sorted()
        .toList();
  }

  @Override
  public void unmap(int pe) {
    if (pe == myPe) {
      throw new IllegalArgumentException("a PE's own window stays mapped until the heap is closed");
    }
    HeapFile file;
    synchronized (lock) {
      file = files.remove(pe);
    }
    if (file != null) {
      file.close();
    }
  }

  /**
   * Removes the pages of all other PEs' windows from this process's page tables; see {@link
   * MappedFile#dropPages}. Readers are not affected.
   */
  public void dropPeerPages() {
    for (Map.Entry<Integer, HeapFile> file : files.entrySet()) {
      if (file.getKey() != myPe) {
        file.getValue().mapped().dropPages();
      }
    }
  }

  private void checkDead(int pe) {
    if (pe == myPe || isAlive(pe)) {
      throw new IllegalStateException("PE " + pe + " is alive and owns its files");
    }
  }

  /**
   * Removes this PE's heap from the application's folder, stops keeping the folder, and removes it
   * if no process keeps it and it is empty. For a process that is about to end, since tasks may
   * still read mapped heaps; memory is released when it ends.
   */
  public void leaveFolder() {
    own.remove();
    hold.close();
    FolderSweep.removeIfEmpty(folder.path());
  }

  /** Also removes this PE's folders on disk: nobody needs its map outputs anymore. */
  public void remove() {
    synchronized (lock) {
      moreHolds.forEach(NativeFile::close);
    }
    removeDiskFolders(myPe);
    leaveFolder();
  }

  /** Closes this PE's heap. Its window stays readable for other PEs. Further calls do nothing. */
  @Override
  public void close() {
    Map<Integer, HeapFile> closing;
    List<NativeFile> holds;
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
      closing = new HashMap<>(files);
      files.clear();
      holds = List.copyOf(moreHolds);
    }
    for (HeapFile file : closing.values()) {
      try {
        file.close();
      } catch (RuntimeException e) {
        LOG.warn(
            "The heap file of PE {} stays mapped until this process ends", file.header().pe(), e);
      }
    }
    holds.forEach(NativeFile::close);
    hold.close();
  }

  private HeapFile existing(int pe) {
    return file(pe)
        .orElseThrow(
            () -> new HeapException("PE " + pe + " has no heap file " + folder.heapFile(pe)));
  }

  private Optional<HeapFile> file(int pe) {
    HeapFile mapped = files.get(pe);
    return mapped != null ? Optional.of(mapped) : map(pe);
  }

  private Optional<HeapFile> map(int pe) {
    synchronized (lock) {
      if (closed) {
        throw new IllegalStateException(
            "the heap of PE " + myPe + " in " + folder.path() + " is closed");
      }
      HeapFile mapped = files.get(pe);
      if (mapped != null) {
        return Optional.of(mapped);
      }
      Optional<HeapFile> opened = HeapFile.open(folder.heapFile(pe), pe, folder.token());
      opened.ifPresent(file -> files.put(pe, file));
      return opened;
    }
  }

  private static void checkRange(int pe, long offset, long bytes, MemorySegment window) {
    if (offset < 0 || bytes > window.byteSize() - offset) {
      throw new IndexOutOfBoundsException(
          "%d bytes at offset %d exceed the window of PE %d, which has %d bytes"
              .formatted(bytes, offset, pe, window.byteSize()));
    }
  }
}
