// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heap of one host: POSIX shared memory, one file a PE in the application's private folder.
 * Loads and stores reach every window of the host, so put and get are copies and quiet is a fence.
 *
 * <p>The own file is sparse: memory comes with {@link #backing()}. Reserve a range before writing
 * to it; writing to a hole when the file system is full raises {@link InternalError}. Reading a
 * hole gives zeros.
 *
 * <p>Files outlive their PE: a dead or closed PE's window stays readable until {@link
 * HeapFolder#remove} or a sweep. After {@link #close()}, addresses that were read out of a segment
 * stay harmless: they read zeros (see {@link io.symshuffle.ffi.MappedFile}).
 */
public final class ShmHeap implements SymmetricHeap {
  private static final Logger LOG = LoggerFactory.getLogger(ShmHeap.class);

  /** Window lengths are rounded up to this, the largest page size in use on Linux. */
  private static final long GRANULE = 64L << 10;

  private final HeapFolder folder;
  private final int myPe;
  private final FolderHold hold;
  private final HeapFile own;
  private final SlabBacking backing;
  private final HeapBarrier barrier;

  /** Files that are mapped; never one that is closed, and empty once the heap is. */
  private final Map<Integer, HeapFile> files = new ConcurrentHashMap<>();

  private final Object lock = new Object();

  @GuardedBy("lock")
  private boolean closed;

  @GuardedBy("lock")
  private final List<FolderHold> moreHolds = new ArrayList<>();

  private ShmHeap(HeapFolder folder, int myPe, FolderHold hold, HeapFile own) {
    this.folder = folder;
    this.myPe = myPe;
    this.hold = hold;
    this.own = own;
    this.backing = new ShmBacking(own.mapped());
    this.barrier = new HeapBarrier(myPe, pe -> file(pe).map(HeapFile::head), this::isAlive);
    files.put(myPe, own);
  }

  /**
   * Makes the heap of this PE: its file in the folder, locked for as long as the heap is open.
   *
   * @param folder the application's folder
   * @param pe our number, 0 or more, used once in the life of the application
   * @param bytes length of the window, rounded up to 64 KiB; no memory is taken yet
   * @return the open heap
   * @throws HeapException when the file cannot be made, with the reason and the remedy
   */
  public static ShmHeap create(HeapFolder folder, int pe, long bytes) {
    requireNonNull(folder, "folder is null");
    if (bytes <= 0 || bytes > Long.MAX_VALUE / 2) {
      throw new IllegalArgumentException("cannot make a window of " + bytes + " bytes");
    }
    FolderHold hold = folder.hold();
    try {
      HeapHeader header =
          new HeapHeader(
              pe,
              (bytes + GRANULE - 1) / GRANULE * GRANULE,
              ProcessHandle.current().pid(),
              BootId.hash(),
              folder.token(),
              folder.diskBase());
      return new ShmHeap(folder, pe, hold, HeapFile.create(folder.heapFile(pe), header));
    } catch (RuntimeException e) {
      hold.close();
      throw e;
    }
  }

  @Override
  public int myPe() {
    return myPe;
  }

  @Override
  public long size() {
    return own.header().windowBytes();
  }

  @Override
  public MemorySegment local() {
    return existing(myPe).window();
  }

  @Override
  public Optional<MemorySegment> peer(int pe) {
    return file(pe).map(HeapFile::window);
  }

  @Override
  public void get(int pe, long offset, MemorySegment destination) {
    requireNonNull(destination, "destination is null");
    MemorySegment window = existing(pe).window();
    long bytes = destination.byteSize();
    checkRange(pe, offset, bytes, window);
    MemorySegment.copy(window, offset, destination, 0, bytes);
  }

  @Override
  public void put(int pe, long offset, MemorySegment source) {
    requireNonNull(source, "source is null");
    MemorySegment window = existing(pe).window();
    long bytes = source.byteSize();
    checkRange(pe, offset, bytes, window);
    MemorySegment.copy(source, 0, window, offset, bytes);
  }

  @Override
  public void quiet() {
    existing(myPe);
    VarHandle.fullFence();
  }

  @Override
  public void barrier(int peCount, Duration limit) throws TimeoutException {
    requireNonNull(limit, "limit is null");
    barrier.await(peCount, limit);
  }

  /**
   * Whether the process that made a PE's file lives and has its heap open. Works across containers
   * that share the folder, since it asks for the file's lock and not for a process id.
   *
   * @param pe number of the PE, 0 or more
   * @return false when it is dead, has closed its heap or has not come yet
   * @throws HeapException when there is something in the file's place that is not a heap file
   */
  public boolean isAlive(int pe) {
    existing(myPe);
    return HeapFile.isLocked(folder.heapFile(pe));
  }

  /**
   * Lets a hold on another folder go with this heap.
   *
   * @param hold what to close when the heap is closed
   */
  public void alsoHold(FolderHold hold) {
    requireNonNull(hold, "hold is null");
    synchronized (lock) {
      if (!closed) {
        moreHolds.add(hold);
        return;
      }
    }
    hold.close();
  }

  /**
   * The PEs of this host that have a heap file, alive or not.
   *
   * @return their numbers, ascending
   * @throws HeapException when the folder cannot be listed
   */
  public List<Integer> pes() {
    return folder.pes();
  }

  /**
   * What a PE's file says about its maker.
   *
   * @param pe number of the PE, 0 or more
   * @return its header; empty when that PE has not come yet
   * @throws HeapException when there is something in the file's place that is not its heap file
   */
  public Optional<HeapHeader> header(int pe) {
    return file(pe).map(HeapFile::header);
  }

  /**
   * The own window's memory, for a {@link SlabAllocator}. Reserving puts pages behind the range and
   * into this process's page tables; releasing punches a hole.
   *
   * @return the backing; it refuses use after {@link #close()}
   */
  public SlabBacking backing() {
    return backing;
  }

  /**
   * The folder for a PE's runs on disk, whether it is there or not, as its file's header says.
   *
   * @param pe number of a PE that has a heap file, alive or not
   * @return the path, inside the application's own folder on that PE's disk
   */
  public Path diskFolder(int pe) {
    return existing(pe)
        .header()
        .diskBase()
        .resolve(folder.path().getFileName())
        .resolve(HeapFolder.diskName(pe));
  }

  /**
   * Gives memory behind a dead PE's window back; it reads as zeros from then on, for everybody.
   *
   * @param pe number of the PE
   * @param offset first byte in its window
   * @param bytes length, more than 0
   * @throws IllegalStateException when that PE is alive
   */
  public void releaseDead(int pe, long offset, long bytes) {
    checkDead(pe);
    HeapFile file = existing(pe);
    checkRange(pe, offset, bytes, file.window());
    file.mapped().file().punchHole(HeapHeaderDescriptor.WINDOW_OFFSET + offset, bytes);
  }

  /**
   * Removes all that a dead PE has left: memory, heap file and disk folder. Processes that have its
   * window mapped read zeros, see {@link #buried()}. Failures are logged.
   *
   * @param pe number of the PE
   * @throws IllegalStateException when that PE is alive
   */
  public void bury(int pe) {
    checkDead(pe);
    HeapFile file = existing(pe);
    Path diskFolder = diskFolder(pe);
    try {
      // Others may have it mapped for a while, and the memory is wanted now.
      file.mapped().file().punchHole(0, file.mapped().memory().byteSize());
    } catch (RuntimeException e) {
      LOG.debug("The memory of PE {} is held until everybody has let its file go", pe, e);
    }
    FolderRemoval.remove(diskFolder);
    // The heap file was the last to tell where this is.
    FolderSweep.removeIfEmpty(diskFolder.getParent());
    try {
      Files.deleteIfExists(folder.heapFile(pe));
    } catch (IOException e) {
      LOG.warn("The heap file {} of a dead PE cannot be removed", folder.heapFile(pe), e);
    }
  }

  /** {@return PEs whose window is mapped here though their file is gone} */
  public List<Integer> buried() {
    return files.keySet().stream()
        .filter(pe -> pe != myPe && Files.notExists(folder.heapFile(pe)))
        .sorted()
        .toList();
  }

  /**
   * Lets the window of another PE go. Segments of it refuse access from then on.
   *
   * @param pe number of the PE
   */
  public void unmap(int pe) {
    if (pe == myPe) {
      throw new IllegalArgumentException("the own window stays until the heap is closed");
    }
    HeapFile file;
    synchronized (lock) {
      file = files.remove(pe);
    }
    if (file != null) {
      file.close();
    }
  }

  private void checkDead(int pe) {
    if (pe == myPe || isAlive(pe)) {
      throw new IllegalStateException("PE " + pe + " is alive, and what it has is its own");
    }
  }

  @Override
  public void close() {
    Map<Integer, HeapFile> closing;
    List<FolderHold> holds;
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
    holds.forEach(FolderHold::close);
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
          "%d bytes at offset %d leave the window of PE %d, which has %d bytes"
              .formatted(bytes, offset, pe, window.byteSize()));
    }
  }
}
