// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.directory;

import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The directory of a dead PE, as used by the one living PE that reclaims its memory. Entries are
 * only erased, never published. As with a living owner, the memory that an erased entry referred to
 * must stay valid until all leases acquired before are closed.
 *
 * <p>The memory is not trusted, see {@link ControlView}. Used by one thread at a time.
 */
public final class OrphanDirectory {
  private final MemorySegment window;
  private final ControlView view;

  /**
   * A published map output.
   *
   * @param place where its index is
   */
  public record Output(MapOutputId id, IndexPlace place) {}

  private OrphanDirectory(MemorySegment window) {
    this.window = window;
    this.view = ControlView.open(window);
  }

  /**
   * Opens the directory in a window.
   *
   * @return empty if its owner died before it wrote anything
   * @throws CorruptControlException if this version cannot read it
   */
  public static Optional<OrphanDirectory> of(MemorySegment window) {
    if (!ControlView.isCreated(window)) {
      return Optional.empty();
    }
    return Optional.of(new OrphanDirectory(window));
  }

  /**
   * Hides map outputs: lookups from now on do not find them.
   *
   * @param outputs selects the map outputs
   * @param changeControl maps the control region for writing while what it is given runs; not
   *     called if there is nothing to erase
   * @return the number of erased entries
   * @throws CorruptControlException if the directory cannot be read
   */
  public int erase(
      Predicate<MapOutputId> outputs, Consumer<Consumer<MemorySegment>> changeControl) {
    List<Long> erased =
        publishedEntries().stream().filter(entry -> outputs.test(view.id(entry))).toList();
    if (!erased.isEmpty()) {
      changeControl.accept(control -> erased.forEach(entry -> erase(control, entry)));
    }
    return erased.size();
  }

  private static void erase(MemorySegment control, long entry) {
    long state = ControlFields.getLong(control, entry);
    ControlFields.putLongVolatile(
        control, entry, DirectoryEntryDescriptor.next(state, DirectoryEntryDescriptor.ERASED));
  }

  /**
   * The map outputs that are still published.
   *
   * @throws CorruptControlException if an entry is damaged, so that it is unknown what is in use
   */
  public List<Output> published() {
    List<Output> outputs = new ArrayList<>();
    for (long entry : publishedEntries()) {
      MapOutputId id = view.id(entry);
      outputs.add(new Output(id, EntryFields.load(window, entry).place(id)));
    }
    return outputs;
  }

  private List<Long> publishedEntries() {
    List<Long> entries = new ArrayList<>();
    view.forEachPublished(entries::add);
    return entries;
  }
}
