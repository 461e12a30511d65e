// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * A fuzz target: the control region of another PE. The input is a list of changes to a region with
 * one published map output, 9 bytes each: a byte that selects the place, then the word that is
 * stored there. If the first byte is odd, the entry's checksum is corrected afterwards.
 */
public final class ControlFuzz {
  private static final int CHANGE_BYTES = 9;
  private static final int MAX_CHANGES = 200;
  private static final MapOutputId ID = new MapOutputId(11, 77);
  private static final IndexPlace PLACE = new IndexPlace(OutputKind.ROWS, Tier.HOST, 1 << 20, 4096);
  private static final MemorySegment WINDOW = new Windows().add(0);
  private static final long ENTRY;

  static {
    ControlView.create(WINDOW, List.of(Path.of("/var/disk")));
    new Directory(WINDOW, SlabBacking.none()).publish(ID, PLACE);
    ENTRY = ControlView.open(WINDOW).find(ID).orElseThrow().offset();
  }

  private ControlFuzz() {}

  /**
   * Called by the fuzzer: any content must result in an answer or a {@link
   * CorruptControlException}.
   */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    List<long[]> before = new ArrayList<>();
    ByteBuffer changes = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN).position(1);
    while (changes.remaining() >= CHANGE_BYTES && before.size() < MAX_CHANGES) {
      long at = place(changes.get() & 0xFF);
      before.add(new long[] {at, WINDOW.get(ValueLayout.JAVA_LONG, at)});
      WINDOW.set(ValueLayout.JAVA_LONG, at, changes.getLong());
    }
    boolean signed = (input[0] & 1) != 0;
    long crc = ENTRY + DirectoryEntryDescriptor.CRC_OFFSET;
    int crcBefore = WINDOW.get(ValueLayout.JAVA_INT, crc);
    if (signed) {
      WINDOW.set(ValueLayout.JAVA_INT, crc, ControlFields.entryCrc(WINDOW, ENTRY));
    }
    try {
      read(signed);
    } catch (CorruptControlException e) {
      if (e.getMessage().isBlank()) {
        throw new AssertionError("an exception without a message", e);
      }
    } finally {
      WINDOW.set(ValueLayout.JAVA_INT, crc, crcBefore);
      for (long[] each : before.reversed()) {
        WINDOW.set(ValueLayout.JAVA_LONG, each[0], each[1]);
      }
    }
  }

  private static void read(boolean signed) {
    ControlView view = ControlView.open(WINDOW);
    view.diskFolders().getFirst();
    view.isLeased(11);
    view.addLeasedShuffles(new HashSet<>());
    view.find(new MapOutputId(11, 78));
    Optional<DirectoryEntry> found = view.find(ID);
    if (found.isPresent()) {
      view.isCurrent(found.get());
      IndexPlace place = found.get().place();
      if (place.offset() < 0 || place.bytes() <= 0 || place.offset() + place.bytes() < 0) {
        throw new AssertionError("an invalid place: " + place);
      }
      if (!signed && !place.equals(PLACE)) {
        throw new AssertionError("a changed place with a wrong checksum: " + place);
      }
    }
  }

  /**
   * Offsets of words of the header page, of the entry and the entries after it, and of some leases.
   */
  private static long place(int selector) {
    if (selector < 64) {
      return 8L * selector;
    }
    if (selector < 128) {
      return ENTRY + 8L * (selector - 64);
    }
    if (selector < 192) {
      return ENTRY + 64L * (selector - 128);
    }
    return ControlDescriptor.LEASES_OFFSET + 8L * (selector - 192);
  }

  /** One change per relevant word, with and without the right checksum. */
  public static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (int selector : new int[] {0, 1, 4, 64, 65, 66, 67, 68, 69, 128, 129, 192}) {
      for (int signed = 0; signed < 2; signed++) {
        seeds.add(
            ByteBuffer.allocate(1 + CHANGE_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) signed)
                .put((byte) selector)
                .putLong(WINDOW.get(ValueLayout.JAVA_LONG, place(selector)))
                .array());
      }
    }
    return seeds;
  }
}
