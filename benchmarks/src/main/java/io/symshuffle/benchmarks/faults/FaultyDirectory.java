// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.OutputDirectory;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Damages indexes and directory entries; fails, delays or kills before and after publishing. */
final class FaultyDirectory implements OutputDirectory {
  private final OutputDirectory directory;
  private final MemorySegment window;
  private final Faults faults;

  /**
   * @param window the window of the host heap that contains it
   */
  FaultyDirectory(OutputDirectory directory, MemorySegment window, Faults faults) {
    this.directory = directory;
    this.window = window;
    this.faults = faults;
  }

  @Override
  public void publish(MapOutputId id, IndexPlace place) throws IOException {
    if (place.tier() == Tier.HOST && faults.strikeUnfailing(FaultPoint.INDEX) != null) {
      faults.damage(window.asSlice(place.offset(), place.bytes()), FaultKind.BIT);
    }
    faults.strike(FaultPoint.PUBLISH);
    directory.publish(id, place);
    if (faults.strikeUnfailing(FaultPoint.PUBLISHED) != null) {
      ControlView.open(window).find(id).ifPresent(entry -> damage(entry.offset()));
    }
  }

  @Override
  public boolean erase(MapOutputId id) {
    return directory.erase(id);
  }

  private void damage(long entry) {
    long start = DirectoryEntryDescriptor.INDEX_OFFSET_OFFSET;
    long end = DirectoryEntryDescriptor.CRC_OFFSET + Integer.BYTES;
    faults.damage(window.asSlice(entry + start, end - start), FaultKind.BIT);
  }
}
