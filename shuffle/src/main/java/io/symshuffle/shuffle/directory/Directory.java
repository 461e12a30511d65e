// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import static io.symshuffle.shuffle.layout.DirectoryEntryDescriptor.BUSY;
import static io.symshuffle.shuffle.layout.DirectoryEntryDescriptor.EMPTY;
import static io.symshuffle.shuffle.layout.DirectoryEntryDescriptor.ERASED;
import static io.symshuffle.shuffle.layout.DirectoryEntryDescriptor.PUBLISHED;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The owner's side of a PE's directory: open-addressing hash tables in the control region. When all
 * are three quarters full, it adds a table of twice the size. Its memory is reserved when the last
 * one is half full, if possible: without it a map output cannot be published, not even on disk.
 *
 * <p>Thread-safe. Readers in other processes need no lock: see {@link DirectoryEntryDescriptor}.
 */
public final class Directory implements OutputDirectory {
  private final MemorySegment window;
  private final SlabBacking backing;

  @GuardedBy("this")
  private final int[] occupied = new int[ControlDescriptor.MAX_TABLES];

  @GuardedBy("this")
  private int tables;

  /** As {@link #tables}, with a table that is reserved and not used yet. */
  @GuardedBy("this")
  private int reserved;

  /**
   * Starts an empty directory in a fresh (all-zero) window.
   *
   * @param window this PE's window; its control region up to the end of table 0 is reserved
   * @param backing reserves further tables before they are written
   */
  public Directory(MemorySegment window, SlabBacking backing) {
    this.window = window;
    this.backing = backing;
    this.tables = 1;
    this.reserved = 1;
    ControlFields.putIntRelease(window, ControlDescriptor.TABLES_OFFSET, 1);
  }

  @Override
  public synchronized void publish(MapOutputId id, IndexPlace place) {
    long entry = claim(id);
    long word = DirectoryEntryDescriptor.next(state(entry), BUSY);
    ControlFields.putLongVolatile(window, entry, word);
    // Readers must not see the fields before they see BUSY.
    VarHandle.storeStoreFence();
    ControlFields.putLong(window, entry + DirectoryEntryDescriptor.MAP_ID_OFFSET, id.mapId());
    ControlFields.putInt(
        window, entry + DirectoryEntryDescriptor.SHUFFLE_ID_OFFSET, id.shuffleId());
    ControlFields.putByte(
        window, entry + DirectoryEntryDescriptor.TIER_OFFSET, place.tier().code());
    ControlFields.putByte(
        window, entry + DirectoryEntryDescriptor.KIND_OFFSET, place.kind().code());
    ControlFields.putLong(
        window, entry + DirectoryEntryDescriptor.INDEX_OFFSET_OFFSET, place.offset());
    ControlFields.putLong(
        window, entry + DirectoryEntryDescriptor.INDEX_BYTES_OFFSET, place.bytes());
    ControlFields.putInt(
        window, entry + DirectoryEntryDescriptor.CRC_OFFSET, ControlFields.entryCrc(window, entry));
    ControlFields.putLongRelease(window, entry, DirectoryEntryDescriptor.with(word, PUBLISHED));
  }

  @Override
  public synchronized boolean erase(MapOutputId id) {
    for (int table = 0; table < tables; table++) {
      long entry = find(table, id);
      if (entry >= 0) {
        ControlFields.putLongVolatile(
            window, entry, DirectoryEntryDescriptor.next(state(entry), ERASED));
        shortenChain(table, entry);
        return true;
      }
    }
    return false;
  }

  /** Number of entries that are published or keep a probe chain intact. */
  synchronized int occupied() {
    int sum = 0;
    for (int count : occupied) {
      sum += count;
    }
    return sum;
  }

  /** Finds a free entry for {@code id}, in the smallest table that has one. */
  @GuardedBy("this")
  private long claim(MapOutputId id) {
    for (int table = 0; table < tables; table++) {
      if (find(table, id) >= 0) {
        throw new IllegalStateException(id + " is already published");
      }
    }
    for (int table = 0; ; table++) {
      if (table == tables) {
        grow();
      }
      long entry = claim(table, id);
      if (entry >= 0) {
        return entry;
      }
    }
  }

  /**
   * Offset of the first free entry of a probe chain, or -1. Erased entries are reused no matter how
   * full the table is; otherwise, erased entries that long-lived map outputs keep from becoming
   * empty would fill the table.
   */
  @GuardedBy("this")
  private long claim(int table, MapOutputId id) {
    int entries = ControlDescriptor.tableEntries(table);
    int slot = DirectoryEntryDescriptor.homeSlot(id.shuffleId(), id.mapId(), entries);
    while (true) {
      long entry = entryOffset(table, slot);
      int state = DirectoryEntryDescriptor.state(state(entry));
      if (state == ERASED) {
        return entry;
      }
      if (state == EMPTY) {
        if (occupied[table] >= entries - entries / 4) {
          return -1;
        }
        occupied[table]++;
        if (table == tables - 1 && occupied[table] == entries / 2) {
          boolean unused = tables == ControlDescriptor.MAX_TABLES || reserveNext();
        }
        return entry;
      }
      slot = (slot + 1) & (entries - 1);
    }
  }

  @GuardedBy("this")
  private void grow() {
    if (tables == ControlDescriptor.MAX_TABLES) {
      throw new IllegalStateException(
          "the directory is full: one executor has %d map outputs; free shuffles that are no longer"
                  .formatted(occupied())
              + " needed (unpersist, fewer concurrent queries) or use more executors");
    }
    if (!reserveNext()) {
      throw new IllegalStateException(
          "no memory for a directory table of %d bytes: the shared-memory file system is full"
              .formatted(tableBytes(tables)));
    }
    tables++;
    ControlFields.putIntRelease(window, ControlDescriptor.TABLES_OFFSET, tables);
  }

  /** Returns whether the next table has memory. */
  @GuardedBy("this")
  private boolean reserveNext() {
    if (reserved == tables) {
      long offset = ControlDescriptor.tableOffset(tables);
      if (!backing.reserve(offset, tableBytes(tables))) {
        backing.release(offset, tableBytes(tables));
        return false;
      }
      reserved++;
    }
    return true;
  }

  /** Offset of the published entry of {@code id}, or -1. */
  @GuardedBy("this")
  private long find(int table, MapOutputId id) {
    int entries = ControlDescriptor.tableEntries(table);
    int slot = DirectoryEntryDescriptor.homeSlot(id.shuffleId(), id.mapId(), entries);
    for (int probe = 0; probe < entries; probe++) {
      long entry = entryOffset(table, slot);
      int state = DirectoryEntryDescriptor.state(state(entry));
      if (state == EMPTY) {
        return -1;
      }
      if (state == PUBLISHED && ControlView.holds(window, entry, id)) {
        return entry;
      }
      slot = (slot + 1) & (entries - 1);
    }
    return -1;
  }

  /** Turns erased entries at the end of a probe chain into empty ones. */
  @GuardedBy("this")
  private void shortenChain(int table, long lastErased) {
    int entries = ControlDescriptor.tableEntries(table);
    int slot =
        (int)
            ((lastErased - ControlDescriptor.tableOffset(table)) / DirectoryEntryDescriptor.BYTES);
    if (DirectoryEntryDescriptor.state(state(entryOffset(table, (slot + 1) & (entries - 1))))
        != EMPTY) {
      return;
    }
    long entry = entryOffset(table, slot);
    while (DirectoryEntryDescriptor.state(state(entry)) == ERASED) {
      ControlFields.putLongRelease(
          window, entry, DirectoryEntryDescriptor.next(state(entry), EMPTY));
      occupied[table]--;
      slot = (slot - 1) & (entries - 1);
      entry = entryOffset(table, slot);
    }
  }

  private long state(long entry) {
    return ControlFields.getLong(window, entry);
  }

  private static long tableBytes(int table) {
    return (long) ControlDescriptor.tableEntries(table) * DirectoryEntryDescriptor.BYTES;
  }

  private static long entryOffset(int table, int slot) {
    return ControlDescriptor.tableOffset(table) + (long) slot * DirectoryEntryDescriptor.BYTES;
  }
}
