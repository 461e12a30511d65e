// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.directory;

import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
   * @param id its id; may be wrong if its entry is damaged
   * @param index where its index is; empty if its entry is damaged
   */
  public record Output(MapOutputId id, Optional<IndexPlace> index) {
    /** Whether its entry is damaged. */
    public boolean isDamaged() {
      return index.isEmpty();
    }

    /**
     * Where its index is.
     *
     * @throws CorruptControlException if its entry is damaged: it is unknown which memory it uses
     */
    public IndexPlace place() {
      return index.orElseThrow(
          () -> new CorruptControlException("directory entry of " + id + " is damaged"));
    }
  }

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
   * @param outputs selects the map outputs; also gets those whose entries are damaged
   * @param changeControl maps the control region for writing while what it is given runs; not
   *     called if there is nothing to erase
   * @return those that were erased
   * @throws CorruptControlException if the directory cannot be read
   */
  public List<Output> erase(
      Predicate<Output> outputs, Consumer<Consumer<MemorySegment>> changeControl) {
    Map<Long, Output> erased = new LinkedHashMap<>();
    for (long entry : publishedEntries()) {
      Output output = output(entry);
      if (outputs.test(output)) {
        erased.put(entry, output);
      }
    }
    if (!erased.isEmpty()) {
      changeControl.accept(control -> erased.keySet().forEach(entry -> erase(control, entry)));
    }
    return List.copyOf(erased.values());
  }

  private static void erase(MemorySegment control, long entry) {
    long state = ControlFields.getLong(control, entry);
    ControlFields.putLongVolatile(
        control, entry, DirectoryEntryDescriptor.next(state, DirectoryEntryDescriptor.ERASED));
  }

  /**
   * The map outputs that are still published, also those whose entries are damaged.
   *
   * @throws CorruptControlException if the directory cannot be read
   */
  public List<Output> published() {
    return publishedEntries().stream().map(this::output).toList();
  }

  private Output output(long entry) {
    MapOutputId id = view.id(entry);
    try {
      return new Output(id, Optional.of(EntryFields.load(window, entry).place(id)));
    } catch (CorruptControlException e) {
      return new Output(id, Optional.empty());
    }
  }

  private List<Long> publishedEntries() {
    List<Long> entries = new ArrayList<>();
    view.forEachPublished(entries::add);
    return entries;
  }
}
