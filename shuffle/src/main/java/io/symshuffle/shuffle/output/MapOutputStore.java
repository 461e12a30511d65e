// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.OutputDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * The map outputs of this PE: those being written, published, and unregistered but still being
 * read.
 *
 * <p>Freeing has two steps. {@link #unregister} removes the map outputs of a shuffle from the
 * directory; {@link #reclaim} frees their memory and files when no living PE of the host holds a
 * lease on the shuffle. Spark triggers the first; the reclaimer periodically calls the second.
 *
 * <p>Thread-safe.
 */
public final class MapOutputStore {
  private final OutputStorage storage;
  private final OutputDirectory directory;
  private final Supplier<IntPredicate> leases;
  private final EndedShuffles ended = new EndedShuffles();

  /** Builders by shuffle, of those started since the shuffle was last unregistered. */
  @GuardedBy("this")
  private final Map<Integer, Set<MapOutputBuilder>> writing = new HashMap<>();

  @GuardedBy("this")
  private final Map<Integer, List<OwnedOutput>> published = new HashMap<>();

  /** Map outputs without data; nothing is published for them. */
  @GuardedBy("this")
  private final Map<Integer, Set<MapOutputId>> empty = new HashMap<>();

  @GuardedBy("this")
  private final Map<Integer, List<OwnedOutput>> hidden = new HashMap<>();

  /**
   * @param directory publishes map outputs
   * @param leases returns, on each call, a snapshot of the shuffles on which living PEs of the host
   *     hold leases; all shuffles if that is unknown
   */
  public MapOutputStore(
      OutputStorage storage, OutputDirectory directory, Supplier<IntPredicate> leases) {
    this.storage = storage;
    this.directory = directory;
    this.leases = leases;
  }

  /** Starts a map output of records. */
  public RowOutputBuilder buildRows(MapOutputId id, int partitions) {
    return begin(new RowOutputBuilder(this, storage, id, partitions));
  }

  /** Starts a map output of packed tables. */
  public TableOutputBuilder buildTables(MapOutputId id, int partitions) {
    return begin(new TableOutputBuilder(this, storage, id, partitions));
  }

  private synchronized <B extends MapOutputBuilder> B begin(B builder) {
    if (ended.contains(builder.id())) {
      throw new IllegalStateException(builder.id() + " is not written: its shuffle has ended");
    }
    writing.computeIfAbsent(builder.id().shuffleId(), s -> new HashSet<>()).add(builder);
    return builder;
  }

  /**
   * Hides all map outputs of a shuffle from readers that do not hold a lease on it yet. Map outputs
   * that tasks are still writing will not be published. Spark may reuse the shuffle's id for new
   * ones.
   */
  public synchronized boolean unregister(int shuffleId) {
    return hide(shuffleId, Long.MAX_VALUE);
  }

  /**
   * Like {@link #unregister}, but only for map tasks up to one. Those that start later are refused:
   * nothing else would free their map outputs.
   *
   * @param lastTaskId the highest id of a task that Spark started before the shuffle ended
   */
  public synchronized void end(int shuffleId, long lastTaskId) {
    ended.add(shuffleId, lastTaskId);
    hide(shuffleId, lastTaskId);
  }

  /** Whether the shuffle of a map output has ended, see {@link #end}. */
  public boolean hasEnded(MapOutputId id) {
    return ended.contains(id);
  }

  @GuardedBy("this")
  private boolean hide(int shuffleId, long lastTaskId) {
    Set<MapOutputBuilder> builders = writing.get(shuffleId);
    if (builders != null && removeUpTo(lastTaskId, builders, MapOutputBuilder::id)) {
      writing.remove(shuffleId);
    }
    Set<MapOutputId> withoutData = empty.get(shuffleId);
    if (withoutData != null && removeUpTo(lastTaskId, withoutData, id -> id)) {
      empty.remove(shuffleId);
    }
    List<OwnedOutput> outputs = published.get(shuffleId);
    if (outputs == null) {
      return false;
    }
    List<OwnedOutput> hiding =
        outputs.stream().filter(output -> output.id().mapId() <= lastTaskId).toList();
    if (removeUpTo(lastTaskId, outputs, OwnedOutput::id)) {
      published.remove(shuffleId);
    }
    if (hiding.isEmpty()) {
      return false;
    }
    for (OwnedOutput output : hiding) {
      directory.erase(output.id());
    }
    hidden.merge(
        shuffleId,
        hiding,
        (old, more) -> {
          List<OwnedOutput> all = new ArrayList<>(old);
          all.addAll(more);
          return all;
        });
    return true;
  }

  /** Removes those of map tasks up to one; returns whether none is left. */
  private static <T> boolean removeUpTo(
      long lastTaskId, Collection<T> outputs, Function<T, MapOutputId> id) {
    outputs.removeIf(output -> id.apply(output).mapId() <= lastTaskId);
    return outputs.isEmpty();
  }

  /**
   * Frees the hidden map outputs of shuffles without leases.
   *
   * @return number of hidden shuffles that are still being read
   */
  public int reclaim() {
    Map<Integer, List<OwnedOutput>> candidates;
    synchronized (this) {
      if (hidden.isEmpty()) {
        return 0;
      }
      candidates = new HashMap<>(hidden);
    }
    // Hide first, then read leases: see LeaseTable for why this order is safe. Map outputs that are
    // hidden after this point are left for the next call.
    IntPredicate leased = leases.get();
    int stillRead = 0;
    for (Map.Entry<Integer, List<OwnedOutput>> candidate : candidates.entrySet()) {
      int shuffleId = candidate.getKey();
      if (leased.test(shuffleId)) {
        stillRead++;
        continue;
      }
      synchronized (this) {
        if (!hidden.remove(shuffleId, candidate.getValue())) {
          continue;
        }
      }
      candidate.getValue().forEach(storage::free);
    }
    return stillRead;
  }

  /** Whether there is no map output with data: being written, published or still being read. */
  public synchronized boolean isUnused() {
    return writing.isEmpty() && published.isEmpty() && hidden.isEmpty();
  }

  /** The ids of all committed map outputs, including those without data. */
  public synchronized List<MapOutputId> committed() {
    List<MapOutputId> ids = new ArrayList<>();
    published.values().forEach(outputs -> outputs.forEach(output -> ids.add(output.id())));
    empty.values().forEach(ids::addAll);
    return ids;
  }

  /** Whether a map output is committed and has no data. */
  public synchronized boolean isEmpty(MapOutputId id) {
    return empty.getOrDefault(id.shuffleId(), Set.of()).contains(id);
  }

  /**
   * Publishes a map output.
   *
   * @return false, without publishing it, if its shuffle was unregistered after it was started
   */
  boolean publish(MapOutputBuilder builder, OwnedOutput output, IndexPlace place)
      throws IOException {
    synchronized (this) {
      if (!endWriting(builder)) {
        return false;
      }
      directory.publish(output.id(), place);
      published.computeIfAbsent(output.id().shuffleId(), s -> new ArrayList<>()).add(output);
      return true;
    }
  }

  /** Lists a map output without data, unless its shuffle was unregistered meanwhile. */
  synchronized void commitEmpty(MapOutputBuilder builder) {
    if (endWriting(builder)) {
      empty.computeIfAbsent(builder.id().shuffleId(), shuffle -> new HashSet<>()).add(builder.id());
    }
  }

  /**
   * Ends the writing of a map output; false if its shuffle was unregistered since it was started.
   */
  synchronized boolean endWriting(MapOutputBuilder builder) {
    Set<MapOutputBuilder> ofShuffle = writing.get(builder.id().shuffleId());
    if (ofShuffle == null || !ofShuffle.remove(builder)) {
      return false;
    }
    if (ofShuffle.isEmpty()) {
      writing.remove(builder.id().shuffleId());
    }
    return true;
  }
}
