// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.OutputDirectory;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.PeProbe;
import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.read.HostCursor;
import io.symshuffle.shuffle.read.LocalSource;
import io.symshuffle.shuffle.read.MapSource;
import io.symshuffle.shuffle.read.ReadRequest;
import io.symshuffle.shuffle.read.ReadTask;
import io.symshuffle.shuffle.runtime.PartWrapper;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.write.MapOutputWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.spark.executor.TempShuffleReadMetrics;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

/**
 * Records PEs that share real heaps, some of which break the protocol, and checks what they did.
 */
class RecorderTest {
  private static final MapOutputId ID = new MapOutputId(3, 5);
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @TempDir Path base;
  private final List<ShuffleRuntime> runtimes = new ArrayList<>();
  private Path histories;
  private HeapFolder folder;

  @BeforeEach
  void start() throws IOException {
    histories = base.resolve("histories");
    folder =
        HeapFolder.open(
            Files.createDirectory(base.resolve("h")), FolderToken.random(), List.of(base));
  }

  @AfterEach
  void end() {
    runtimes.forEach(ShuffleRuntime::close);
    folder.remove();
  }

  @Test
  void findsNothingWrongWithLivingPes() throws IOException {
    ShuffleRuntime owner = join(part -> part);
    ShuffleRuntime reader = join(part -> part);
    write(owner);
    readWhile(reader, () -> owner.unregister(ID.shuffleId()));
    await().atMost(LIMIT).until(() -> owner.slabStats().usedBytes() == 0);
    HistoryCheck.Result found = HistoryCheck.of(histories);
    assertEquals(List.of(), found.examples());
    assertEquals(found.events(), events().size());
    assertEquals(
        Set.of(
            EventKind.LEASE,
            EventKind.RELEASE,
            EventKind.FOUND,
            EventKind.READ,
            EventKind.PUBLISH,
            EventKind.ERASE,
            EventKind.FREE,
            EventKind.MAP),
        kinds());
  }

  @Test
  void findsNothingWrongWithThePeThatReclaimsTheHeapOfADeadOne() throws IOException {
    ShuffleRuntime owner = join(part -> part);
    ShuffleRuntime reader = join(part -> part);
    write(owner);
    owner.close();
    readWhile(reader, () -> reader.ended(ID.shuffleId(), Long.MAX_VALUE));
    await().atMost(LIMIT).until(() -> Files.notExists(folder.heapFile(0)));
    await().atMost(LIMIT).until(() -> kinds().contains(EventKind.UNMAP));
    assertTrue(kinds().containsAll(Set.of(EventKind.ERASE, EventKind.PUNCH)), kinds().toString());
    assertEquals(List.of(), HistoryCheck.of(histories).examples());
  }

  @Test
  void findsNothingWrongWithThePeThatErasesDamagedEntriesOfADeadOne() throws IOException {
    ShuffleRuntime owner = join(part -> part);
    ShuffleRuntime reader = join(part -> part);
    write(owner);
    owner.close();
    readWhile(
        reader,
        () -> {
          damageEntry(reader.heap());
          await().atMost(LIMIT).until(() -> find(reader).isEmpty());
        });
    await().atMost(LIMIT).until(() -> Files.notExists(folder.heapFile(0)));
    assertTrue(kinds().contains(EventKind.MISSING), kinds().toString());
    assertEquals(List.of(), HistoryCheck.of(histories).examples());
  }

  /** The owner ignores the leases of a process that it takes for dead. */
  @Test
  void findsAFreeWhileALivingPeThatCountsAsDeadReads() throws IOException {
    ShuffleRuntime owner = join(part -> part instanceof PeProbe ? (PeProbe) pe -> false : part);
    ShuffleRuntime reader = join(part -> part);
    write(owner);
    readWhile(reader, () -> unregisterAndFree(owner));
    assertTrue(HistoryCheck.of(histories).overlaps() > 0, events().toString());
  }

  @Test
  void findsAMapOutputThatWasNotPublished() throws IOException {
    ShuffleRuntime owner =
        join(part -> part instanceof OutputDirectory ? new LosingDirectory() : part);
    ShuffleRuntime reader = join(part -> part);
    write(owner);
    Lease lease = reader.leases().acquire(ID.shuffleId());
    try (lease) {
      assertEquals(Optional.empty(), reader.outputs().find(owner.myPe(), ID));
    }
    HistoryCheck.Result found = HistoryCheck.of(histories);
    assertEquals(List.of(0L, 1L, 0L), List.of(found.overlaps(), found.lost(), found.unleased()));
  }

  @Test
  void findsALookupWithoutALease() throws IOException {
    ShuffleRuntime owner = join(part -> part);
    write(owner);
    assertTrue(owner.outputs().find(owner.myPe(), ID).isPresent());
    assertTrue(HistoryCheck.of(histories).unleased() > 0, events().toString());
  }

  /** A PE whose parts are replaced by others, which are recorded like the product's. */
  private ShuffleRuntime join(UnaryOperator<Object> replace) throws IOException {
    int pe = runtimes.size();
    Recorder recorder = Recorder.open(histories, Integer.toString(pe));
    ShuffleRuntime runtime =
        ShuffleRuntime.start(
            new ShuffleConfig(1 << 20, true, true, 0),
            HostHeap.create(folder, pe, ShuffleRuntime.windowBytes(4 << 20)),
            folder.diskFolders(pe),
            executor -> OptionalInt.empty(),
            new ShuffleStats(),
            Optional.empty(),
            new PartWrapper() {
              @Override
              public <T> T wrap(Class<T> type, T part) {
                return recorder.wrap(type, type.cast(replace.apply(part)));
              }
            });
    runtimes.add(runtime);
    return runtime;
  }

  private static void write(ShuffleRuntime runtime) throws IOException {
    MapOutputWriter output = MapOutputWriter.open(runtime, ID, 4);
    try {
      output.append(2, new byte[100], Platform.BYTE_ARRAY_OFFSET, 100);
      output.commit();
    } finally {
      output.abort();
    }
  }

  private static Optional<MapOutput> find(ShuffleRuntime reader) throws IOException {
    return reader.outputs().find(0, ID);
  }

  /** Changes the checksum of the directory entry of dead PE 0. */
  private static void damageEntry(HostHeap heap) {
    long entry = ControlView.open(heap.peer(0).orElseThrow()).find(ID).orElseThrow().offset();
    heap.changeDead(
        0,
        ControlDescriptor.BYTES,
        control -> {
          long crc = entry + DirectoryEntryDescriptor.CRC_OFFSET;
          control.set(ValueLayout.JAVA_INT, crc, ~control.get(ValueLayout.JAVA_INT, crc));
        });
  }

  private static void unregisterAndFree(ShuffleRuntime owner) {
    owner.unregister(ID.shuffleId());
    await().atMost(LIMIT).until(() -> owner.slabStats().usedBytes() == 0);
  }

  /** Runs an action while a task of a PE has read a block of PE 0 and holds its lease. */
  private static void readWhile(ShuffleRuntime reader, Runnable action) {
    Lease lease = reader.leases().acquire(ID.shuffleId());
    try (lease) {
      MapSource map =
          new MapSource(
              BlockManagerId.apply("0", "localhost", 7337, Option.empty()), ID.mapId(), 0);
      ReadTask task =
          ReadTask.of(
              new ReadRequest(ID.shuffleId(), 0, Integer.MAX_VALUE, 0, 4),
              reader.outputs(),
              true,
              new TempShuffleReadMetrics(),
              reader.stats(),
              reader.peerPages(),
              reader.copies());
      BlockCursor blocks =
          reader
              .wrapper()
              .wrap(HostCursor.Factory.class, HostCursor::new)
              .open(task, List.of(new LocalSource(map, 0)));
      assertTrue(blocks.advance());
      action.run();
    }
  }

  private List<Event> events() throws IOException {
    return History.readAll(histories).stream().flatMap(each -> each.events().stream()).toList();
  }

  private Set<EventKind> kinds() {
    try {
      return events().stream().map(Event::kind).collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class LosingDirectory implements OutputDirectory {
    @Override
    public void publish(MapOutputId id, IndexPlace place) {}

    @Override
    public boolean erase(MapOutputId id) {
      return true;
    }
  }
}
