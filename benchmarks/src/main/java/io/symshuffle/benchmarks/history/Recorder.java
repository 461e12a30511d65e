// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.heap.host.PeerHeaps;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.Leases;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.OutputDirectory;
import io.symshuffle.shuffle.output.EndedOutputs;
import io.symshuffle.shuffle.output.OutputLookup;
import io.symshuffle.shuffle.output.OutputStorage;
import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.read.HostCursor;
import io.symshuffle.shuffle.runtime.PartWrapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Records what one executor does with shared memory, at the parts that a {@link PartWrapper} can
 * replace. Wrap its parts again to inject faults, which are then recorded only if they reach the
 * product's part.
 */
public final class Recorder implements PartWrapper {
  /** 5.5 million events; a round of a soak has a tenth of them. The file is sparse. */
  private static final long MAX_BYTES = 256L << 20;

  private final HistoryWriter events;
  private RecordedHeaps heaps;

  private Recorder(HistoryWriter events) {
    this.events = events;
  }

  /**
   * Starts a new history.
   *
   * @param folder where it is stored, with those of the other executors of the host; created if
   *     necessary
   */
  public static Recorder open(Path folder, String executorId) throws IOException {
    return open(folder, executorId, MAX_BYTES);
  }

  static Recorder open(Path folder, String executorId, long maxBytes) throws IOException {
    Files.createDirectories(folder);
    String name = "executor-%s-%d".formatted(executorId, ProcessHandle.current().pid());
    return new Recorder(new HistoryWriter(folder.resolve(name), maxBytes));
  }

  /** The heaps of the host come first: other parts need the number of this PE. */
  @Override
  public <T> T wrap(Class<T> type, T part) {
    return type.cast(
        switch (part) {
          case PeerHeaps all -> {
            heaps = new RecordedHeaps(all, events);
            yield heaps;
          }
          case SlabBacking backing -> new RecordedBacking(backing);
          case Leases leases -> new RecordedLeases(leases);
          case OutputLookup lookup -> new RecordedLookup(lookup, events);
          case OutputStorage storage -> new RecordedStorage(storage, heaps.myPe(), events);
          case OutputDirectory directory -> new RecordedDirectory(directory);
          case EndedOutputs ended -> (EndedOutputs) id -> isEnded(ended, id);
          case HostCursor.Factory cursors ->
              (HostCursor.Factory)
                  (task, sources) ->
                      new RecordedCursor(cursors.open(task, sources), task.request().shuffleId());
          default -> part;
        });
  }

  /** Entries of ended shuffles are erased next, from the directory of any dead PE. */
  private boolean isEnded(EndedOutputs ended, MapOutputId id) {
    boolean result = ended.test(id);
    if (result) {
      events.output(EventKind.ERASE, Event.ANY_PE, id);
    }
    return result;
  }

  private final class RecordedBacking implements SlabBacking {
    private final SlabBacking backing;

    RecordedBacking(SlabBacking backing) {
      this.backing = backing;
    }

    @Override
    public boolean reserve(long offset, long bytes) {
      return backing.reserve(offset, bytes);
    }

    @Override
    public void release(long offset, long bytes) {
      events.window(EventKind.PUNCH, heaps.myPe(), offset, bytes);
      backing.release(offset, bytes);
    }
  }

  private final class RecordedLeases implements Leases {
    private final Leases leases;

    RecordedLeases(Leases leases) {
      this.leases = leases;
    }

    @Override
    public Lease acquire(int shuffleId) {
      Lease lease = leases.acquire(shuffleId);
      events.shuffle(EventKind.LEASE, shuffleId);
      return new Lease(
          () -> {
            events.shuffle(EventKind.RELEASE, shuffleId);
            lease.close();
          });
    }

    @Override
    public int size() {
      return leases.size();
    }
  }

  /** Records each block of rows that a reduce task reads in place. */
  private final class RecordedCursor extends BlockCursor {
    private final BlockCursor blocks;
    private final int shuffleId;

    RecordedCursor(BlockCursor blocks, int shuffleId) {
      this.blocks = blocks;
      this.shuffleId = shuffleId;
    }

    @Override
    public boolean advance() {
      if (!blocks.advance()) {
        return false;
      }
      moveTo(blocks);
      if (object == null) {
        heaps.read(shuffleId, position, limit - position);
      }
      return true;
    }

    @Override
    public RuntimeException corrupt(String found) {
      throw blocks.corrupt(found);
    }
  }

  private final class RecordedDirectory implements OutputDirectory {
    private final OutputDirectory directory;

    RecordedDirectory(OutputDirectory directory) {
      this.directory = directory;
    }

    @Override
    public void publish(MapOutputId id, IndexPlace place) throws IOException {
      directory.publish(id, place);
      events.output(EventKind.PUBLISH, heaps.myPe(), id);
    }

    @Override
    public boolean erase(MapOutputId id) {
      events.output(EventKind.ERASE, heaps.myPe(), id);
      return directory.erase(id);
    }
  }
}
