// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.process.ChildProcess;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.FatalErrors;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.DirectoryEntryDescriptor;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SeededRandom.class)
class MapOutputsTest {
  private static final long ARENA = 1 << 20;
  private static final MapOutputId ID = new MapOutputId(3, 5);

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private final MapOutputs outputs = new MapOutputs(windows.heap(0));

  @Test
  void checksIndexOnce(Random random) throws IOException {
    Owner owner = Owner.add(windows, ARENA, disk);
    owner.publish(ID, List.of(Records.random(random, 20, 9, 50)), List.of(Tier.HOST));
    MapOutput first = outputs.find(0, ID).orElseThrow();
    assertSame(first, outputs.find(0, ID).orElseThrow());
    outputs.forget(ID.shuffleId() + 1);
    assertSame(first, outputs.find(0, ID).orElseThrow());
    outputs.forget(ID.shuffleId());
    assertNotSame(first, outputs.find(0, ID).orElseThrow());
  }

  /** The other task looks for the index while the first one is about to copy it. */
  @Test
  void tasksThatStartTogetherCopyAnIndexOnce(Random random) throws Exception {
    Owner owner = Owner.add(windows, ARENA, disk);
    owner.publish(ID, List.of(Records.random(random, 20, 9, 50)), List.of(Tier.HOST));
    AtomicInteger copies = new AtomicInteger();
    AtomicReference<Thread> other = new AtomicReference<>();
    MapOutputs shared =
        new MapOutputs(
            pe -> {
              if (other.get() != null && copies.incrementAndGet() == 1) {
                other.get().start();
                while (other.get().getState() != Thread.State.BLOCKED && copies.get() == 1) {
                  Thread.onSpinWait();
                }
              }
              return windows.heap(0).apply(pe);
            });
    assertTrue(shared.isMapped(0));
    FutureTask<Optional<MapOutput>> found = new FutureTask<>(() -> shared.find(0, ID));
    other.set(new Thread(found));

    MapOutput first = shared.find(0, ID).orElseThrow();

    assertSame(first, found.get().orElseThrow());
    assertEquals(1, copies.get());
  }

  @Test
  void damageToAnIndexThatWasCheckedHasNoEffect(Random random) throws IOException {
    Records run = publishAndCheck(random, outputs);

    damageIndex();

    Records.read(outputs.find(0, ID).orElseThrow(), true).assertSameAs(run);
  }

  @Test
  void readsIndexesInPlaceWhenCopiesTakeTooMuchMemory(Random random) throws IOException {
    MapOutputs sparing = new MapOutputs(windows.heap(0), Optional.empty(), 100);
    publishAndCheck(random, sparing);

    damageIndex();

    assertThrows(
        CorruptIndexException.class,
        () -> Records.read(sparing.find(0, ID).orElseThrow(), true),
        "the index was copied");
  }

  /** The heap has no room for them, so that they are in files. */
  @Test
  void keepsIndexesOfFilesUpToALimitAndFurtherOnesWhileTheyAreUsed(Random random) throws Exception {
    Owner owner = Owner.add(windows, 64, disk);
    MapOutputId second = new MapOutputId(ID.shuffleId(), ID.mapId() + 1);
    MapOutputId later = new MapOutputId(ID.shuffleId() + 1, ID.mapId());
    for (MapOutputId id : List.of(ID, second, later)) {
      owner.publish(id, List.of(inEveryPartition(random)), List.of(Tier.DISK));
    }
    ControlView control = ControlView.open(windows.heap(0).apply(0).orElseThrow());
    long oneIndex = control.find(ID).orElseThrow().place().bytes();
    MapOutputs sparing = new MapOutputs(windows.heap(0), Optional.empty(), oneIndex);

    MapOutput first = sparing.find(0, ID).orElseThrow();
    MapOutput used = sparing.find(0, second).orElseThrow();
    assertSame(used, sparing.find(0, second).orElseThrow(), "its users have a copy each");
    WeakReference<MapOutput> unused = new WeakReference<>(used);
    used = null;
    awaitCollection(unused);
    assertTrue(sparing.find(0, second).isPresent());
    assertSame(first, sparing.find(0, ID).orElseThrow());
    WeakReference<MapOutput> kept = new WeakReference<>(first);
    first = null;

    WeakReference<MapOutput> next = new WeakReference<>(sparing.find(0, later).orElseThrow());

    awaitCollection(kept);
    assertNotNull(next.get(), "an earlier shuffle has kept the room");
    assertEquals(oneIndex, sparing.copiedBytes(Tier.DISK));
    assertTrue(sparing.find(0, ID).isPresent());
  }

  private static void awaitCollection(WeakReference<?> reference) throws InterruptedException {
    for (int i = 0; reference.get() != null; i++) {
      assertTrue(i < 6000, "it is still reachable after a minute");
      System.gc();
      Thread.sleep(10);
    }
  }

  /** Their indexes are in files, and together they are larger than the JVM's direct memory. */
  @Test
  void findsMapOutputsOnDiskWhenDirectMemoryIsShort() {
    ChildProcess.Result result =
        ChildProcess.java(
                List.of(
                    "--enable-native-access=ALL-UNNAMED", "-Xmx256m", "-XX:MaxDirectMemorySize=4m"),
                SmallDirectMemory.class.getName(),
                List.of(disk.toString()))
            .run(Duration.ofMinutes(10));

    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains("found 80 map outputs"), result.output());
  }

  /** Finds map outputs with indexes of 98 KiB. */
  static final class SmallDirectMemory {
    private static final int MAPS = 80;

    private SmallDirectMemory() {}

    public static void main(String[] arguments) throws IOException {
      Windows windows = new Windows();
      Owner owner = Owner.add(windows, 64, Path.of(arguments[0]));
      MapOutputs outputs = new MapOutputs(windows.heap(0));
      Records run = new Records();
      for (int partition = 0; partition < 8192; partition++) {
        run.add(partition, new byte[1]);
      }
      for (int map = 0; map < MAPS; map++) {
        owner.publish(new MapOutputId(3, map), List.of(run), List.of(Tier.DISK));
      }
      int found = 0;
      for (int map = 0; map < MAPS; map++) {
        found += outputs.find(0, new MapOutputId(3, map)).isPresent() ? 1 : 0;
      }
      System.out.println("found " + found + " map outputs");
    }
  }

  /** As in another pod, with another volume at the same path. */
  @Test
  void partitionsOnADiskThatIsNotVisibleAreNotReadable(Random random) throws IOException {
    Path mine = Files.createDirectory(disk.resolve("pe-0"));
    Owner owner = Owner.add(windows, ARENA, mine);
    Records onDisk = new Records();
    onDisk.add(5, new byte[100]);
    owner.publish(
        ID, List.of(Records.random(random, 200, 9, 50), onDisk), List.of(Tier.HOST, Tier.DISK));
    MapOutput output = outputs.find(0, ID).orElseThrow();
    assertTrue(outputs.seesDisks(0));
    assertTrue(output.isReadable(0, 9));

    Files.move(mine, disk.resolve("elsewhere"));

    assertFalse(outputs.seesDisks(0));
    assertTrue(output.isReadable(0, 5));
    assertFalse(output.isReadable(5, 6));
    assertTrue(output.isReadable(6, 9));
    assertThrows(DiskNotVisibleException.class, () -> RunReader.open(output));
  }

  @Test
  void mapOutputIsNotFoundIfItsIndexIsOnADiskThatIsNotVisible() throws IOException {
    Path mine = Files.createDirectory(disk.resolve("pe-0"));
    Owner owner = Owner.add(windows, 64, mine);
    Records run = new Records();
    run.add(5, new byte[100]);
    owner.publish(ID, List.of(run), List.of(Tier.DISK));
    assertTrue(outputs.find(0, ID).isPresent());

    Files.move(mine, disk.resolve("elsewhere"));

    MapOutputs ofOther = new MapOutputs(windows.heap(0));
    assertThrows(DiskNotVisibleException.class, () -> ofOther.find(0, ID));
  }

  private Records publishAndCheck(Random random, MapOutputs finding) throws IOException {
    Owner owner = Owner.add(windows, ARENA, disk);
    Records run = Records.random(random, 20, 9, 50);
    owner.publish(ID, List.of(run), List.of(Tier.HOST));
    Records.read(finding.find(0, ID).orElseThrow(), true).assertSameAs(run);
    return run;
  }

  /** Overwrites it with numbers that are impossible, but leaves its directory entry. */
  private void damageIndex() {
    MemorySegment window = windows.heap(0).apply(0).orElseThrow();
    IndexPlace place = ControlView.open(window).find(ID).orElseThrow().place();
    window.asSlice(place.offset(), place.bytes()).fill((byte) 0xff);
  }

  @Test
  void findsRepublishedMapOutput(Random random) throws IOException {
    Owner owner = Owner.add(windows, ARENA, disk);
    for (int round = 0; round < 5; round++) {
      assertEquals(Optional.empty(), outputs.find(0, ID));
      Records run = Records.random(random, 1 + random.nextInt(20), 9, 50);
      owner.publish(ID, List.of(run), List.of(random.nextBoolean() ? Tier.HOST : Tier.DISK));
      Records.read(outputs.find(0, ID).orElseThrow(), true).assertSameAs(run);
      owner.store.unregister(ID.shuffleId());
      owner.store.reclaim();
    }
  }

  @Test
  void copyOfReplacedIndexLeavesRoomForNextOne(Random random) throws IOException {
    Owner owner = Owner.add(windows, ARENA, disk);
    ControlView control = ControlView.open(windows.heap(0).apply(0).orElseThrow());
    owner.publish(ID, List.of(inEveryPartition(random)), List.of(Tier.HOST));
    long oneIndex = control.find(ID).orElseThrow().place().bytes();
    MapOutputs sparing = new MapOutputs(windows.heap(0), Optional.empty(), oneIndex);
    for (int round = 0; round < 3; round++) {
      owner.store.unregister(ID.shuffleId());
      owner.store.reclaim();
      Records run = inEveryPartition(random);
      owner.publish(ID, List.of(run), List.of(Tier.HOST));
      MapOutput found = sparing.find(0, ID).orElseThrow();
      damageIndex();
      Records.read(found, true).assertSameAs(run);
    }
  }

  /** A run with a record in each of nine partitions, so that its index has always the same size. */
  private static Records inEveryPartition(Random random) {
    Records run = new Records();
    for (int partition = 0; partition < 9; partition++) {
      byte[] bytes = new byte[1 + random.nextInt(50)];
      random.nextBytes(bytes);
      run.add(partition, bytes);
    }
    return run;
  }

  @Test
  void findsMapOutputsOnlyInDirectoryOfOwner(Random random) throws IOException {
    Owner first = Owner.add(windows, ARENA, disk);
    Owner second = Owner.add(windows, ARENA, disk);
    Records run = Records.random(random, 20, 9, 50);
    first.publish(ID, List.of(run), List.of(Tier.HOST));
    // The other PE's entry has the same offset and version.
    int entries = ControlDescriptor.tableEntries(0);
    MapOutputId twin = twin(ID, entries);
    second.publish(twin, List.of(Records.random(random, 20, 9, 50)), List.of(Tier.HOST));
    Records.read(outputs.find(0, ID).orElseThrow(), true).assertSameAs(run);
    assertEquals(Optional.empty(), outputs.find(1, ID));
    assertTrue(outputs.find(0, ID).isPresent());
  }

  /** Another map output whose search starts at the same entry. */
  private static MapOutputId twin(MapOutputId id, int entries) {
    int home = homeSlot(id, entries);
    long map = id.mapId() + 1;
    while (homeSlot(new MapOutputId(id.shuffleId(), map), entries) != home) {
      map++;
    }
    return new MapOutputId(id.shuffleId(), map);
  }

  private static int homeSlot(MapOutputId id, int entries) {
    return DirectoryEntryDescriptor.homeSlot(id.shuffleId(), id.mapId(), entries);
  }

  @Test
  void rejectsIndexWhoseKindDiffersFromDirectory() throws IOException {
    Owner owner = Owner.add(windows, ARENA, disk);
    publishTable(owner, ID);
    long at =
        ControlView.open(owner.window).find(ID).orElseThrow().offset()
            + DirectoryEntryDescriptor.KIND_OFFSET;
    owner.window.set(ValueLayout.JAVA_BYTE, at, (byte) OutputKind.ROWS.code());
    long start = at - DirectoryEntryDescriptor.KIND_OFFSET + DirectoryEntryDescriptor.MAP_ID_OFFSET;
    long end = at - DirectoryEntryDescriptor.KIND_OFFSET + DirectoryEntryDescriptor.CRC_OFFSET;
    owner.window.set(ValueLayout.JAVA_INT, end, Crc32c.of(owner.window, start, end - start));
    String message =
        assertThrows(CorruptIndexException.class, () -> outputs.find(0, ID)).getMessage();
    assertTrue(message.contains("magic 544d5953"), message);
  }

  private static void publishTable(Owner owner, MapOutputId id) throws IOException {
    TableOutputBuilder output = owner.store.buildTables(id, 9);
    MemorySegment data = output.allocateHost(64).orElseThrow();
    output.add(new TableEntry(3, Tier.HOST, output.hostOffset(data), 64, 7, 0));
    assertTrue(output.commit());
  }

  @Test
  void rejectsIndexOutsideArena() {
    MemorySegment window = windows.add(ARENA);
    ControlView.create(window, List.of(disk));
    Directory directory = new Directory(window, SlabBacking.none());
    long end = window.byteSize();
    List<IndexPlace> invalid =
        List.of(
            new IndexPlace(OutputKind.ROWS, Tier.HOST, 0, 64),
            new IndexPlace(OutputKind.ROWS, Tier.HOST, ControlDescriptor.BYTES - 8, 64),
            new IndexPlace(OutputKind.ROWS, Tier.HOST, end - 56, 64),
            new IndexPlace(OutputKind.ROWS, Tier.HOST, end, 8),
            new IndexPlace(OutputKind.ROWS, Tier.HOST, 1L << 60, 64),
            new IndexPlace(OutputKind.ROWS, Tier.HOST, ControlDescriptor.BYTES, end),
            new IndexPlace(OutputKind.ROWS, Tier.HOST, ControlDescriptor.BYTES, Long.MAX_VALUE / 2),
            new IndexPlace(OutputKind.ROWS, Tier.HOST, ControlDescriptor.BYTES + 4, 64),
            // In range, but without an index.
            new IndexPlace(OutputKind.ROWS, Tier.HOST, ControlDescriptor.BYTES, 64),
            new IndexPlace(OutputKind.ROWS, Tier.HOST, end - 8, 8));
    for (int i = 0; i < invalid.size(); i++) {
      MapOutputId id = new MapOutputId(1, i);
      directory.publish(id, invalid.get(i));
      assertThrows(CorruptIndexException.class, () -> outputs.find(0, id), "" + invalid.get(i));
    }
  }

  @Test
  void reportsTruncatedOrMissingIndexOnDisk(Random random) throws IOException {
    Owner owner = Owner.add(windows, 64, disk);
    // Fill the arena.
    assertTrue(owner.slabs.allocate(64).isPresent());
    owner.publish(ID, List.of(Records.random(random, 20, 9, 50)), List.of(Tier.DISK));
    assertTrue(outputs.find(0, ID).isPresent());
    outputs.forget(ID.shuffleId());
    Path file = owner.files().getFirst();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      long bytes = channel.size();
      while (bytes > 0) {
        bytes = Math.max(0, bytes - 1 - random.nextInt(100));
        channel.truncate(bytes);
        assertThrows(CorruptIndexException.class, () -> outputs.find(0, ID));
      }
    }
    Files.delete(file);
    assertThrows(NoSuchFileException.class, () -> outputs.find(0, ID));
  }

  @Test
  void rejectsIndexLargerThanMemory() throws IOException {
    MemorySegment window = windows.add(ARENA);
    ControlView.create(window, List.of(disk));
    long huge = 1L << 40;
    new Directory(window, SlabBacking.none())
        .publish(ID, new IndexPlace(OutputKind.ROWS, Tier.DISK, 0, huge));
    Path file = DiskFile.path(disk, ID);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), huge);
    }
    IOException failure = assertThrows(IOException.class, () -> outputs.find(0, ID));
    FatalErrors.assertNone(failure);
    String message = failure.getMessage();
    assertTrue(
        message.startsWith("no memory for an index of %d bytes in %s".formatted(huge, file)),
        message);
  }
}
