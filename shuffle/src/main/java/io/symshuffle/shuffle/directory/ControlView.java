// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.layout.MapIdRange;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A PE's control region as other PEs see it. Its content is not trusted: with any content, a call
 * returns, stays inside the window, and throws only {@link CorruptControlException}.
 *
 * <p>Thread-safe and lock-free.
 */
public final class ControlView {
  /** If a sequence lock changes this often during a read, it is broken. */
  private static final int MAX_RETRIES = 1_000;

  /** Between paths, which cannot contain it. */
  private static final String SEPARATOR = "\0";

  private final MemorySegment window;
  private final List<Path> diskFolders;

  private ControlView(MemorySegment window, List<Path> diskFolders) {
    this.window = window;
    this.diskFolders = diskFolders;
  }

  /**
   * Checks the header page.
   *
   * @throws CorruptControlException if this version cannot read it
   */
  public static ControlView open(MemorySegment window) {
    if (window.byteSize() < ControlDescriptor.BYTES) {
      throw new CorruptControlException(
          "window of %d bytes is too small for the control region".formatted(window.byteSize()));
    }
    long magic = ControlFields.getLongAcquire(window, ControlDescriptor.MAGIC_OFFSET);
    int version = ControlFields.getInt(window, ControlDescriptor.VERSION_OFFSET);
    if (magic != ControlDescriptor.MAGIC || version != ControlDescriptor.VERSION) {
      throw new CorruptControlException(
          "control region has magic %x and version %d instead of %x and %d"
              .formatted(magic, version, ControlDescriptor.MAGIC, ControlDescriptor.VERSION));
    }
    int length = ControlFields.getInt(window, ControlDescriptor.DISK_FOLDERS_LENGTH_OFFSET);
    if (length < 0 || length > ControlDescriptor.MAX_DISK_FOLDERS_BYTES) {
      throw new CorruptControlException(
          "invalid length of the disk folders' paths: %d bytes".formatted(length));
    }
    byte[] paths =
        window
            .asSlice(ControlDescriptor.DISK_FOLDERS_OFFSET, length)
            .toArray(ValueLayout.JAVA_BYTE);
    try {
      return new ControlView(
          window,
          Stream.of(new String(paths, StandardCharsets.UTF_8).split(SEPARATOR, -1))
              .map(Path::of)
              .toList());
    } catch (InvalidPathException e) {
      throw new CorruptControlException("a disk folder's path is invalid: " + e.getMessage());
    }
  }

  /**
   * Writes the header page of a fresh window; the magic number last.
   *
   * @throws IllegalArgumentException if the paths are too long
   */
  public static void create(MemorySegment window, List<Path> diskFolders) {
    byte[] paths = text(diskFolders);
    if (paths.length > ControlDescriptor.MAX_DISK_FOLDERS_BYTES) {
      throw new IllegalArgumentException(
          "the disk folders' paths have %d bytes; the maximum is %d: %s"
              .formatted(paths.length, ControlDescriptor.MAX_DISK_FOLDERS_BYTES, diskFolders));
    }
    ControlFields.putInt(window, ControlDescriptor.VERSION_OFFSET, ControlDescriptor.VERSION);
    ControlFields.putInt(window, ControlDescriptor.DISK_FOLDERS_LENGTH_OFFSET, paths.length);
    MemorySegment.copy(
        paths,
        0,
        window,
        ValueLayout.JAVA_BYTE,
        ControlDescriptor.DISK_FOLDERS_OFFSET,
        paths.length);
    ControlFields.putLongRelease(window, ControlDescriptor.MAGIC_OFFSET, ControlDescriptor.MAGIC);
  }

  /**
   * Whether a PE has written the header page of its window. Before that, it holds no lease and has
   * published nothing.
   */
  public static boolean isCreated(MemorySegment window) {
    return window.byteSize() < ControlDescriptor.BYTES
        || ControlFields.getLongVolatile(window, ControlDescriptor.MAGIC_OFFSET) != 0;
  }

  /** The folders in which this PE keeps the files of its DISK tier. */
  public List<Path> diskFolders() {
    return diskFolders;
  }

  private static byte[] text(List<Path> paths) {
    return paths.stream()
        .map(Path::toString)
        .collect(Collectors.joining(SEPARATOR))
        .getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The ids of the map tasks in a range whose map outputs of a shuffle are published, ascending.
   * One that is published or erased meanwhile may be missing or listed: {@link #find} decides.
   *
   * @throws CorruptControlException if the directory is damaged
   */
  public NavigableSet<Long> published(int shuffleId, MapIdRange range) {
    NavigableSet<Long> ids = new TreeSet<>();
    forEachPublished(
        entry -> {
          if (shuffleId
              == ControlFields.getInt(window, entry + DirectoryEntryDescriptor.SHUFFLE_ID_OFFSET)) {
            long mapId =
                ControlFields.getLong(window, entry + DirectoryEntryDescriptor.MAP_ID_OFFSET);
            if (range.contains(mapId)) {
              ids.add(mapId);
            }
          }
        });
    return ids;
  }

  /** Passes on the offset of each entry that is published. */
  void forEachPublished(LongConsumer found) {
    // The tables follow each other.
    long end = ControlDescriptor.tableOffset(tables());
    for (long entry = ControlDescriptor.tableOffset(0);
        entry < end;
        entry += DirectoryEntryDescriptor.BYTES) {
      if (DirectoryEntryDescriptor.state(ControlFields.getLongVolatile(window, entry))
          == DirectoryEntryDescriptor.PUBLISHED) {
        found.accept(entry);
      }
    }
  }

  MapOutputId id(long entry) {
    return new MapOutputId(
        ControlFields.getInt(window, entry + DirectoryEntryDescriptor.SHUFFLE_ID_OFFSET),
        ControlFields.getLong(window, entry + DirectoryEntryDescriptor.MAP_ID_OFFSET));
  }

  private int tables() {
    int tables = ControlFields.getIntAcquire(window, ControlDescriptor.TABLES_OFFSET);
    if (tables < 0 || tables > ControlDescriptor.MAX_TABLES) {
      throw new CorruptControlException("invalid number of directory tables: %d".formatted(tables));
    }
    return tables;
  }

  /**
   * Finds a published map output. Hold a lease on its shuffle, so that it is not freed.
   *
   * @throws CorruptControlException if the entry is torn or damaged
   */
  public Optional<DirectoryEntry> find(MapOutputId id) {
    int tables = tables();
    for (int table = 0; table < tables; table++) {
      Optional<DirectoryEntry> entry = find(table, id);
      if (entry.isPresent()) {
        return entry;
      }
    }
    return Optional.empty();
  }

  /**
   * Whether an entry that {@link #find} returned is unchanged. Call this after acquiring a lease:
   * if the entry is unchanged, the memory that it refers to stays valid until the lease is closed.
   */
  public boolean isCurrent(DirectoryEntry entry) {
    return ControlFields.getLongVolatile(window, entry.offset()) == entry.state();
  }

  private Optional<DirectoryEntry> find(int table, MapOutputId id) {
    int entries = ControlDescriptor.tableEntries(table);
    int slot = DirectoryEntryDescriptor.homeSlot(id.shuffleId(), id.mapId(), entries);
    for (int probe = 0; probe < entries; probe++) {
      long entry =
          ControlDescriptor.tableOffset(table) + (long) slot * DirectoryEntryDescriptor.BYTES;
      for (int attempt = 0; ; attempt++) {
        // Sequentially consistent, after the caller's lease: see LeaseTable.
        long before = ControlFields.getLongVolatile(window, entry);
        int state = DirectoryEntryDescriptor.state(before);
        if (state == DirectoryEntryDescriptor.EMPTY) {
          return Optional.empty();
        }
        if (state != DirectoryEntryDescriptor.PUBLISHED || !holds(window, entry, id)) {
          break;
        }
        EntryFields fields = EntryFields.load(window, entry);
        VarHandle.loadLoadFence();
        if (ControlFields.getLongAcquire(window, entry) == before) {
          return Optional.of(new DirectoryEntry(fields.place(id), entry, before));
        }
        if (attempt == MAX_RETRIES) {
          throw new CorruptControlException("directory entry of " + id + " keeps changing");
        }
        Thread.onSpinWait();
      }
      slot = (slot + 1) & (entries - 1);
    }
    return Optional.empty();
  }

  /** Whether a task of this PE holds a lease on a shuffle. */
  public boolean isLeased(int shuffleId) {
    Set<Integer> leased = new HashSet<>();
    addLeasedShuffles(leased);
    return leased.contains(shuffleId);
  }

  /** Adds the ids of all shuffles on which a task of this PE holds a lease. */
  public void addLeasedShuffles(Set<Integer> shuffleIds) {
    for (int slot = 0; slot < ControlDescriptor.LEASE_SLOTS; slot++) {
      long word =
          ControlFields.getLongVolatile(
              window, ControlDescriptor.LEASES_OFFSET + (long) slot * Long.BYTES);
      if (LeaseTable.count(word) > 0) {
        shuffleIds.add(LeaseTable.shuffleId(word));
      }
    }
  }

  static boolean holds(MemorySegment window, long entry, MapOutputId id) {
    return ControlFields.getLong(window, entry + DirectoryEntryDescriptor.MAP_ID_OFFSET)
            == id.mapId()
        && ControlFields.getInt(window, entry + DirectoryEntryDescriptor.SHUFFLE_ID_OFFSET)
            == id.shuffleId();
  }
}
