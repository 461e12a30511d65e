// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Map outputs in several local folders, some of which fail. */
@ExtendWith(SeededRandom.class)
class DiskFoldersTest {
  private static final int FOLDERS = 3;

  @TempDir Path temp;
  @AutoClose private final Windows windows = new Windows();
  private final List<Path> folders = new ArrayList<>();
  private final AtomicLong nanos = new AtomicLong(-5);

  /** Folders in which the next append fails after it wrote a part. */
  private final Set<Path> full = new HashSet<>();

  private DiskFolders disk;
  private MapOutputStore store;
  private MapOutputs outputs;

  @BeforeEach
  void start() throws IOException {
    for (int i = 0; i < FOLDERS; i++) {
      folders.add(Files.createDirectory(temp.resolve("disk-" + i)));
    }
    disk = new DiskFolders(folders, Optional.empty(), Codec.NONE, nanos::get);
    MemorySegment window = windows.add(1 << 20);
    ControlView.create(window, folders);
    SlabAllocator slabs =
        new SlabAllocator(ControlDescriptor.BYTES, 1 << 20, SlabBacking.none(), 1L << 40);
    OutputStorage storage =
        new Filling(new HeapStorage(window, slabs, Optional.empty(), disk, Optional.empty()));
    store =
        new MapOutputStore(
            storage, new Directory(window, SlabBacking.none()), () -> shuffle -> false);
    outputs = new MapOutputs(windows.heap(0));
  }

  @Test
  void spreadsFilesOverAllFolders() {
    Map<Path, Integer> files = new HashMap<>();
    for (int map = 0; map < 3000; map++) {
      // With two executors, each may get every other task.
      Path file = disk.candidates(new MapOutputId(7, 2L * map)).getFirst();
      files.merge(file.getParent(), 1, Integer::sum);
    }
    assertEquals(Set.copyOf(folders), files.keySet());
    files.values().forEach(count -> assertTrue(count > 900 && count < 1100, files::toString));
  }

  @Test
  void usesAFolderAgainAMinuteAfterItFailed() {
    MapOutputId id = new MapOutputId(1, 1);
    List<Path> before = disk.candidates(id);
    disk.pause(before.getFirst(), new IOException("disk failed"));
    assertEquals(List.of(before.get(1), before.get(2), before.get(0)), disk.candidates(id));
    nanos.addAndGet(DiskFolders.PAUSE.minus(Duration.ofNanos(1)).toNanos());
    assertEquals(before.get(1), disk.candidates(id).getFirst());
    nanos.incrementAndGet();
    assertEquals(before, disk.candidates(id));
  }

  @Test
  void skipsAFolderThatIsGone(Random random) throws IOException {
    Files.delete(folders.get(1));
    for (int map = 0; map < 20; map++) {
      publishAndRead(new MapOutputId(1, map), random, 3);
    }
    assertEquals(20, files(0) + files(2));
  }

  @Test
  void movesAFileWhoseDiskFillsUp(Random random) throws IOException {
    MapOutputId id = new MapOutputId(1, 4);
    Path home = disk.candidates(id).getFirst();
    Path next = disk.candidates(id).get(1);
    RowOutputBuilder output = store.buildRows(id, 10);
    Records all = new Records();
    for (int run = 0; run < 4; run++) {
      Records records = Records.random(random, 30, 10, 100);
      if (run == 2) {
        full.add(home.getParent());
      }
      records.writeRun(output, Tier.DISK);
      all.addAll(records);
      assertEquals(run < 2, Files.exists(home));
      assertEquals(run >= 2, Files.exists(next));
    }
    output.commit();
    Records.read(outputs.find(0, id).orElseThrow(), true).assertSameAs(all);
    store.unregister(1);
    store.reclaim();
    assertFalse(Files.exists(next));
  }

  @Test
  void doesNotAvoidAFolderBecauseAFileToBeMovedThereCannotBeRead(Random random) throws IOException {
    MapOutputId id = new MapOutputId(1, 4);
    Path home = disk.candidates(id).getFirst();
    Path next = disk.candidates(id).get(1);
    try (var output = new Open(store.buildRows(id, 10))) {
      Records.random(random, 30, 10, 100).writeRun(output.builder, Tier.DISK);
      Files.write(home, new byte[1], StandardOpenOption.TRUNCATE_EXISTING);
      full.add(home.getParent());

      IOException e =
          assertThrows(
              IOException.class,
              () -> Records.random(random, 30, 10, 100).writeRun(output.builder, Tier.DISK));

      assertTrue(e.getMessage().contains(home + " cannot be read"), e.getMessage());
      assertEquals("No space left on device", e.getSuppressed()[0].getMessage());
    }
    assertFalse(Files.exists(next));
    assertEquals(next, disk.candidates(id).getFirst());
    assertEquals(home, disk.candidates(id).getLast());
  }

  @Test
  void readsTheMovedFileIfTheFirstOneCannotBeDeleted(Random random) throws IOException {
    MapOutputId id = new MapOutputId(1, 4);
    Path home = disk.candidates(id).getFirst();
    RowOutputBuilder output = store.buildRows(id, 10);
    Records all = Records.random(random, 30, 10, 100);
    all.writeRun(output, Tier.DISK);
    Path copy = Files.copy(home, temp.resolve("copy"));
    full.add(home.getParent());
    Records more = Records.random(random, 30, 10, 100);
    more.writeRun(output, Tier.DISK);
    all.addAll(more);
    // A file system that Linux has remounted read-only after an error keeps the first file.
    Files.copy(copy, home);
    output.commit();

    Records.read(outputs.find(0, id).orElseThrow(), true).assertSameAs(all);
  }

  @Test
  void namesAllReasonsWhenEveryDiskFails(Random random) {
    full.addAll(folders);
    try (var output = new Open(store.buildRows(new MapOutputId(1, 5), 10))) {
      IOException e =
          assertThrows(
              IOException.class,
              () -> Records.random(random, 5, 10, 100).writeRun(output.builder, Tier.DISK));
      assertTrue(e.getMessage().contains("free space on it"), e.getMessage());
      assertEquals(FOLDERS - 1, e.getSuppressed().length);
    }
    assertEquals(0, files(0) + files(1) + files(2));
  }

  private void publishAndRead(MapOutputId id, Random random, int runs) throws IOException {
    RowOutputBuilder output = store.buildRows(id, 10);
    Records all = new Records();
    for (int run = 0; run < runs; run++) {
      Records records = Records.random(random, 10, 10, 100);
      records.writeRun(output, Tier.DISK);
      all.addAll(records);
    }
    output.commit();
    Records.read(outputs.find(0, id).orElseThrow(), true).assertSameAs(all);
  }

  private int files(int folder) {
    try (Stream<Path> files = Files.list(folders.get(folder))) {
      return (int) files.count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Frees what a failed task has written. */
  private record Open(RowOutputBuilder builder) implements AutoCloseable {
    @Override
    public void close() {
      builder.abort();
    }
  }

  /** Storage on disks that fill up. */
  private final class Filling implements OutputStorage {
    private final OutputStorage storage;

    Filling(OutputStorage storage) {
      this.storage = storage;
    }

    @Override
    public Optional<Slab> allocateHost(long bytes) {
      return storage.allocateHost(bytes);
    }

    @Override
    public Optional<Slab> allocateDevice(long bytes) {
      return storage.allocateDevice(bytes);
    }

    @Override
    public MemorySegment window() {
      return storage.window();
    }

    @Override
    public void write(MemorySegment run, MemorySegment to) throws IOException {
      storage.write(run, to);
    }

    @Override
    public DiskFolders disk() {
      return storage.disk();
    }

    @Override
    public long append(DiskFile file, MemorySegment bytes) throws IOException {
      if (full.contains(file.path().getParent())) {
        throw new IOException("No space left on device");
      }
      return storage.append(file, bytes);
    }

    @Override
    public void free(OwnedOutput output) {
      storage.free(output);
    }
  }
}
