// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.heap.host.ProcessMemory;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.output.RunIndex;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Runs the runtimes of several PEs of a host in this process, on real heaps. */
@ExtendWith(SeededRandom.class)
class ShuffleRuntimeTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final MapOutputId ID = new MapOutputId(2, 3);
  private static final ShuffleConfig CONFIG = new ShuffleConfig(1 << 20, true, true, 0);

  @TempDir Path base;
  private final List<ShuffleRuntime> runtimes = new ArrayList<>();
  private final List<HostHeap> heaps = new ArrayList<>();
  private HeapFolder folder;

  @BeforeEach
  void start() {
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
  }

  @AfterEach
  void end() {
    runtimes.forEach(ShuffleRuntime::close);
    ShuffleRuntime.unavailable("the test has ended");
    folder.remove();
  }

  @Test
  void keepsMemoryWhileAnyPeOfTheHostReadsIt(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime reader = join(CONFIG);
    Records records = publish(owner, ID, random);
    Lease lease = reader.leases().acquire(ID.shuffleId());
    try (lease) {
      var found = reader.outputs().find(owner.myPe(), ID).orElseThrow();
      owner.unregister(ID.shuffleId());
      reader.unregister(ID.shuffleId());
      assertTrue(owner.slabStats().usedBytes() > 0);
      assertEquals(Optional.empty(), reader.outputs().find(owner.myPe(), ID));
      Records.read(found, true).assertSameAs(records);
    }
    // The reclaimer frees the memory without another call.
    await().atMost(LIMIT).until(() -> owner.slabStats().usedBytes() == 0);
  }

  @Test
  void dropsIndexesThatTasksFoundAfterTheirShuffleEnded(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime reader = join(CONFIG);
    publish(owner, ID, random);
    Lease lease = reader.leases().acquire(ID.shuffleId());
    RunIndex found;
    try (lease) {
      // The owner learns it later.
      reader.unregister(ID.shuffleId());
      found = index(reader, owner.myPe());
    }
    await().atMost(LIMIT).until(() -> index(reader, owner.myPe()) != found);
  }

  private static RunIndex index(ShuffleRuntime reader, int pe) {
    try {
      return reader.outputs().find(pe, ID).orElseThrow().rows().index();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void readersOfOtherShufflesKeepNoMemory(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    publish(owner, ID, random);
    Lease lease = owner.leases().acquire(ID.shuffleId() + 1);
    try (lease) {
      owner.unregister(ID.shuffleId());
      // The reclaimer may be freeing it at the same time.
      await().atMost(LIMIT).until(() -> owner.slabStats().usedBytes() == 0);
    }
  }

  @Test
  void ignoresLeasesOfDeadPe(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime reader = join(CONFIG);
    publish(owner, ID, random);
    Lease unused = reader.leases().acquire(ID.shuffleId());
    owner.unregister(ID.shuffleId());
    assertTrue(owner.slabStats().usedBytes() > 0);
    reader.close();
    await().atMost(LIMIT).until(() -> owner.slabStats().usedBytes() == 0);
  }

  @Test
  void freesMemoryOfDeadPeWhenItsShufflesEnd(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime first = join(CONFIG);
    ShuffleRuntime second = join(CONFIG);
    MapOutputId other = new MapOutputId(ID.shuffleId() + 1, 7);
    publish(owner, ID, random);
    Records kept = publish(owner, other, random);
    RowOutputBuilder unfinished =
        owner.store().buildRows(new MapOutputId(other.shuffleId(), 8), 20);
    Records.random(random, 50, 20, 100).writeRun(unfinished, Tier.DISK);
    Path disk = folder.diskFolders(0).getFirst();
    owner.close();
    for (ShuffleRuntime reader : List.of(second, first)) {
      reader.ended(ID.shuffleId(), ID.mapId());
    }
    await().atMost(LIMIT).until(() -> names(disk).equals(List.of("3-7.runs")));
    Lease lease = second.leases().acquire(other.shuffleId());
    try (lease) {
      assertEquals(Optional.empty(), second.outputs().find(0, ID));
      Records.read(second.outputs().find(0, other).orElseThrow(), true).assertSameAs(kept);
    }
    for (ShuffleRuntime reader : List.of(second, first)) {
      reader.ended(other.shuffleId(), 8);
    }
    await().atMost(LIMIT).until(() -> Files.notExists(folder.heapFile(0)));
    await().atMost(LIMIT).until(() -> !mapped(folder.heapFile(0)));
    assertFalse(second.readsInPlace(0));
    assertTrue(Files.notExists(disk));
  }

  @Test
  void keepsMemoryOfDeadPeWhileItIsRead(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime first = join(CONFIG);
    ShuffleRuntime second = join(CONFIG);
    Records records = publish(owner, ID, random);
    Lease lease = second.leases().acquire(ID.shuffleId());
    try (lease) {
      var found = second.outputs().find(0, ID).orElseThrow();
      owner.close();
      first.ended(ID.shuffleId(), ID.mapId());
      second.ended(ID.shuffleId(), ID.mapId());
      await().atMost(LIMIT).until(() -> isHidden(second, ID));
      // Wait until the reaper has run several times.
      Thread.sleep(1000);
      Records.read(found, true).assertSameAs(records);
    }
    await().atMost(LIMIT).until(() -> Files.notExists(folder.heapFile(0)));
  }

  @Test
  void freesMemoryOfPeThatDiedBeforeItUnregisteredTheShuffle(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime other = join(CONFIG);
    publish(owner, ID, random);
    other.ended(ID.shuffleId(), ID.mapId());
    Thread.sleep(500);
    owner.close();
    await().atMost(LIMIT).until(() -> Files.notExists(folder.heapFile(0)));
  }

  @Test
  void keepsMapOutputsOfANewRunOfAnEndedShuffleWhenTheirPeDies(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime other = join(CONFIG);
    MapOutputId later = new MapOutputId(ID.shuffleId(), ID.mapId() + 1);
    publish(owner, ID, random);
    Records kept = publish(owner, later, random);
    owner.close();
    other.ended(ID.shuffleId(), ID.mapId());
    await().atMost(LIMIT).until(() -> isHidden(other, ID));
    await()
        .atMost(LIMIT)
        .until(() -> names(folder.diskFolders(0).getFirst()).equals(List.of("2-4.runs")));
    Lease lease = other.leases().acquire(later.shuffleId());
    Records.read(other.outputs().find(0, later).orElseThrow(), true).assertSameAs(kept);
    lease.close();
    other.ended(later.shuffleId(), later.mapId());
    await().atMost(LIMIT).until(() -> Files.notExists(folder.heapFile(0)));
  }

  @Test
  void freesNothingWhileTheLeasesOfAPeAreUnknown(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime reader = join(CONFIG);
    publish(owner, ID, random);
    Lease lease = reader.leases().acquire(ID.shuffleId());
    setMode(reader, "rw-r-----");
    owner.unregister(ID.shuffleId());
    assertTrue(owner.slabStats().usedBytes() > 0);
    setMode(reader, "rw-------");
    // Wait until the reclaimer has run several times.
    Thread.sleep(500);
    assertTrue(owner.slabStats().usedBytes() > 0);
    lease.close();
    await().atMost(LIMIT).until(() -> owner.slabStats().usedBytes() == 0);
  }

  private void setMode(ShuffleRuntime runtime, String mode) throws IOException {
    Files.setPosixFilePermissions(
        folder.heapFile(runtime.myPe()), PosixFilePermissions.fromString(mode));
  }

  @Test
  void keepsMemoryThatIsReadByAPeWhoseHeapFileWasDeleted(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime reader = join(CONFIG);
    Records records = publish(owner, ID, random);
    assertTrue(owner.readsInPlace(reader.myPe()));
    Files.delete(folder.heapFile(reader.myPe()));
    Lease lease = reader.leases().acquire(ID.shuffleId());
    var found = reader.outputs().find(owner.myPe(), ID).orElseThrow();
    owner.ended(ID.shuffleId(), ID.mapId());
    // Wait until the reclaimer and the reaper have run several times.
    Thread.sleep(1000);
    assertTrue(owner.slabStats().usedBytes() > 0);
    Records.read(found, true).assertSameAs(records);
    lease.close();
    await().atMost(LIMIT).until(() -> owner.slabStats().usedBytes() == 0);
  }

  private static boolean isHidden(ShuffleRuntime runtime, MapOutputId id) {
    try {
      return runtime.outputs().find(0, id).isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> names(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      return List.of("no such folder");
    }
  }

  private static boolean mapped(Path file) {
    try {
      return Files.readString(Path.of("/proc/self/maps")).contains(file.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void readsDamagedHeapThroughBlockTransfer(Random random) throws Exception {
    ShuffleRuntime owner = join(CONFIG);
    ShuffleRuntime damaged = join(CONFIG);
    heaps.get(1).local().set(ValueLayout.JAVA_LONG, ControlDescriptor.MAGIC_OFFSET, 0);
    assertFalse(owner.readsInPlace(damaged.myPe()));
    publish(owner, ID, random);
    owner.unregister(ID.shuffleId());
    await().atMost(LIMIT).until(() -> owner.slabStats().usedBytes() == 0);
  }

  @Test
  void readsOnlyOwnHeapInPlaceWithoutPeerMapping() throws IOException {
    ShuffleRuntime first = join(new ShuffleConfig(1 << 20, true, false, 0));
    ShuffleRuntime second = join(CONFIG);
    assertTrue(first.readsInPlace(0));
    assertFalse(first.readsInPlace(1));
    assertTrue(second.readsInPlace(0));
    assertFalse(second.readsInPlace(7), "a PE that never joined");
  }

  @Test
  void dropsPagesOfPeersWhenLeasesHaveEnded(Random random) throws Exception {
    long bytes = 64 << 20;
    ShuffleRuntime owner = join(CONFIG, bytes);
    ShuffleRuntime reader = join(CONFIG);
    MemorySegment own = heaps.get(owner.myPe()).local().asSlice(ControlDescriptor.BYTES, bytes);
    byte[] content = new byte[1 << 20];
    random.nextBytes(content);
    for (long at = 0; at < bytes; at += content.length) {
      MemorySegment.copy(content, 0, own, ValueLayout.JAVA_BYTE, at, content.length);
    }
    MemorySegment view =
        heaps
            .get(reader.myPe())
            .peer(owner.myPe())
            .orElseThrow()
            .asSlice(ControlDescriptor.BYTES, bytes);
    long before = ProcessMemory.mappedBytes();
    Lease lease = reader.leases().acquire(ID.shuffleId());
    assertEquals(-1, view.mismatch(own));
    reader.peerPages().read(bytes);
    long reading = ProcessMemory.mappedBytes();
    assertTrue(reading - before > bytes * 9 / 10, (reading - before) + " bytes were mapped");

    lease.close();

    await().atMost(LIMIT).until(() -> reading - ProcessMemory.mappedBytes() > bytes * 9 / 10);
    assertEquals(-1, view.mismatch(own));
  }

  @Test
  void failsTasksWithReasonWithoutRuntime() throws IOException {
    ShuffleRuntime.unavailable("no space in /dev/shm; mount a larger one");
    assertEquals(Optional.empty(), ShuffleRuntime.current());
    assertEquals(
        "this executor cannot shuffle: no space in /dev/shm; mount a larger one",
        assertThrows(IllegalStateException.class, ShuffleRuntime::require).getMessage());
    ShuffleRuntime runtime = join(CONFIG);
    ShuffleRuntime.install(runtime);
    assertEquals(runtime, ShuffleRuntime.require());
    runtime.close();
    assertEquals(Optional.empty(), ShuffleRuntime.current());
  }

  private ShuffleRuntime join(ShuffleConfig config) throws IOException {
    return join(config, 8 << 20);
  }

  private ShuffleRuntime join(ShuffleConfig config, long arenaBytes) throws IOException {
    int pe = runtimes.size();
    HostHeap heap = HostHeap.create(folder, pe, ShuffleRuntime.windowBytes(arenaBytes));
    heaps.add(heap);
    ShuffleRuntime runtime =
        ShuffleRuntime.start(
            config, heap, folder.diskFolders(pe), id -> OptionalInt.empty(), new ShuffleStats());
    runtimes.add(runtime);
    return runtime;
  }

  private static Records publish(ShuffleRuntime owner, MapOutputId id, Random random)
      throws IOException {
    RowOutputBuilder sink = owner.store().buildRows(id, 20);
    Records all = new Records();
    for (Tier tier : List.of(Tier.HOST, Tier.DISK)) {
      Records run = Records.random(random, 100, 20, 100);
      run.writeRun(sink, tier);
      all.addAll(run);
    }
    sink.commit();
    return all;
  }
}
