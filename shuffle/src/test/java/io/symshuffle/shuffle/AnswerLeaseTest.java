// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.DirectoryEntry;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.Leases;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.OutputLookup;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.output.RunFiles;
import io.symshuffle.shuffle.runtime.PartWrapper;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

class AnswerLeaseTest {
  private static final MapOutputId ID = new MapOutputId(9, 7);

  @TempDir Path base;
  private HeapFolder folder;
  private ShuffleRuntime runtime;

  @BeforeEach
  void start() throws IOException {
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    HostHeap heap = HostHeap.create(folder, 0, ShuffleRuntime.windowBytes(8 << 20));
    runtime =
        ShuffleRuntime.start(
            new ShuffleConfig(1 << 20, true, true, 0),
            heap,
            folder.diskFolders(0),
            id -> OptionalInt.empty(),
            new ShuffleStats(),
            Optional.empty(),
            new UnmappedWithoutLease(heap.local()));
    ShuffleRuntime.install(runtime);
  }

  @AfterEach
  void end() {
    ShuffleRuntime.unavailable("the test has ended");
    runtime.close();
    folder.remove();
  }

  /** The window of a dead PE is unmapped as soon as no task of this process holds a lease. */
  @Test
  void readsIndexesWhileItHoldsALease() throws IOException {
    Records run = new Records();
    run.add(3, new byte[40]);
    RowOutputBuilder builder = runtime.store().buildRows(ID, 20);
    run.writeRun(builder, Tier.HOST);
    builder.commit();
    ManagedBuffer answer =
        new SymShuffleBlockResolver(new SparkConf(false), new ConcurrentHashMap<>())
            .getBlockData(
                new ShuffleBlockBatchId(
                    ID.shuffleId(), new MapIdRange(0, 9).code(false, 1 << 20), 0, 20),
                Option.empty());
    assertTrue(answer.size() > 40);
    assertEquals(0, runtime.leases().size());
    answer.release();
  }

  /** Finds map outputs in copies of a window, which are freed when a lease ends. */
  private record UnmappedWithoutLease(MemorySegment window) implements PartWrapper {
    private static final ThreadLocal<Arena> MAPPED = new ThreadLocal<>();

    @Override
    public <T> T wrap(Class<T> type, T part) {
      if (part instanceof Leases leases) {
        return type.cast(new Unmapping(leases));
      }
      return part instanceof OutputLookup lookup ? type.cast(new Copies(window, lookup)) : part;
    }

    private record Unmapping(Leases leases) implements Leases {
      @Override
      public Lease acquire(int shuffleId) {
        Lease lease = leases.acquire(shuffleId);
        Arena arena = Arena.ofShared();
        MAPPED.set(arena);
        return new Lease(
            () -> {
              lease.close();
              arena.close();
            });
      }

      @Override
      public int size() {
        return leases.size();
      }
    }

    private record Copies(MemorySegment window, OutputLookup lookup) implements OutputLookup {
      @Override
      public NavigableSet<Long> published(int pe, int shuffleId, MapIdRange range) {
        return lookup.published(pe, shuffleId, range);
      }

      @Override
      public Optional<MapOutput> find(int pe, MapOutputId id) throws IOException {
        MemorySegment copy = MAPPED.get().allocate(window.byteSize(), 8).copyFrom(window);
        DirectoryEntry entry = ControlView.open(copy).find(id).orElseThrow();
        return Optional.of(
            MapOutput.open(
                pe, id, entry.place(), copy, new RunFiles(List.of(), Optional.empty()), false));
      }

      @Override
      public void forget(int shuffleId) {
        lookup.forget(shuffleId);
      }
    }
  }
}
