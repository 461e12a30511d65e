// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SeededRandom.class)
class MapOutputStoreTest {
  private static final long ARENA = 8 << 20;
  private static final MapOutputId ID = new MapOutputId(3, 5);

  @TempDir Path disk;
  @AutoClose private final Windows windows = new Windows();
  private final Set<Integer> leased = new HashSet<>();
  private Owner owner;
  private MapOutputs outputs;

  @BeforeEach
  void start() {
    owner = Owner.add(windows, ARENA, disk, leased::contains);
    outputs = new MapOutputs(windows.heap(0));
  }

  @Test
  void readsRunsOfBothTiers(Random random) throws IOException {
    for (int round = 0; round < 20; round++) {
      MapOutputId id = new MapOutputId(round % 3, round);
      RowOutputBuilder sink = owner.store.buildRows(id, 50);
      Records all = new Records();
      for (int r = random.nextInt(5); r >= 0; r--) {
        Records run = Records.random(random, 1 + random.nextInt(200), 50, 300);
        run.writeRun(sink, random.nextBoolean() ? Tier.HOST : Tier.DISK);
        all.addAll(run);
      }
      sink.commit();
      Records.read(outputs.find(0, id).orElseThrow(), true).assertSameAs(all);
    }
    assertEquals(20, owner.store.committed().size());
  }

  @Test
  void freesMapOutputThatCommitsAfterUnregister(Random random) throws IOException {
    RowOutputBuilder straggler = owner.store.buildRows(ID, 50);
    Records.random(random, 10, 50, 100).writeRun(straggler, Tier.HOST);
    Records.random(random, 10, 50, 100).writeRun(straggler, Tier.DISK);
    owner.store.unregister(ID.shuffleId());
    assertEquals(
        "map output 5 of shuffle 3 is not published: its shuffle was unregistered meanwhile",
        assertThrows(IOException.class, straggler::commit).getMessage());
    straggler.abort();
    assertEquals(Optional.empty(), outputs.find(0, ID));
    assertEquals(0, owner.used());
    assertEquals(List.of(), owner.files());
  }

  @Test
  void endsOnlyMapOutputsOfTasksUpToTheLast(Random random) throws IOException {
    List<Records> run = List.of(Records.random(random, 10, 50, 100));
    MapOutputId later = new MapOutputId(3, 8);
    owner.publish(ID, run, List.of(Tier.HOST));
    owner.publish(later, run, List.of(Tier.HOST));
    RowOutputBuilder old = owner.store.buildRows(new MapOutputId(3, 6), 50);
    run.getFirst().writeRun(old, Tier.HOST);
    RowOutputBuilder current = owner.store.buildRows(new MapOutputId(3, 7), 50);
    run.getFirst().writeRun(current, Tier.HOST);
    owner.store.end(3, 6);
    owner.store.reclaim();
    assertThrows(IOException.class, old::commit);
    assertTrue(current.commit());
    assertEquals(Optional.empty(), outputs.find(0, ID));
    assertTrue(outputs.find(0, later).isPresent());
    owner.store.unregister(3);
    owner.store.reclaim();
    assertEquals(0, owner.used());
  }

  @Test
  void refusesTasksThatStartAfterTheEndOfTheirShuffle(Random random) throws IOException {
    owner.store.end(3, 5);
    assertEquals(
        "map output 5 of shuffle 3 is not written: its shuffle has ended",
        assertThrows(IllegalStateException.class, () -> owner.store.buildRows(ID, 50))
            .getMessage());
    assertThrows(IllegalStateException.class, () -> owner.store.buildTables(ID, 50));
    owner.publish(
        new MapOutputId(3, 6), List.of(Records.random(random, 10, 50, 100)), List.of(Tier.HOST));
    owner.publish(
        new MapOutputId(4, 5), List.of(Records.random(random, 10, 50, 100)), List.of(Tier.HOST));
    assertEquals(2, owner.store.committed().size());
  }

  @Test
  void storesRunsBeyondFourGibibytes(Random random) throws IOException {
    long far = 5L << 30;
    Owner large = Owner.add(windows, far + ARENA, disk);
    assertTrue(large.slabs.allocate(far).isPresent());
    RowOutputBuilder sink = large.store.buildRows(ID, 50);
    Records run = Records.random(random, 100, 50, 300);
    run.writeRun(sink, Tier.HOST);
    sink.commit();
    MapOutput found = outputs.find(1, ID).orElseThrow();
    assertTrue(found.rows().index().run(0).place() > far);
    Records.read(found, true).assertSameAs(run);
  }

  @Test
  void hidesMapOutputBeforeCommit(Random random) throws IOException {
    RowOutputBuilder sink = owner.store.buildRows(ID, 50);
    Records.random(random, 10, 50, 100).writeRun(sink, Tier.HOST);
    Records.random(random, 10, 50, 100).writeRun(sink, Tier.DISK);
    assertEquals(Optional.empty(), outputs.find(0, ID));
    assertEquals(0, owner.store.committed().size());
    sink.commit();
    assertTrue(outputs.find(0, ID).isPresent());
    assertEquals(1, owner.store.committed().size());
  }

  @Test
  void abortFreesSlabsAndFile(Random random) throws IOException {
    RowOutputBuilder sink = owner.store.buildRows(ID, 50);
    Records.random(random, 10, 50, 100).writeRun(sink, Tier.HOST);
    Records.random(random, 10, 50, 100).writeRun(sink, Tier.DISK);
    assertTrue(sink.allocateHost(4096).isPresent());
    assertTrue(owner.used() > 0);
    assertEquals(List.of(disk.resolve("3-5.runs")), owner.files());
    sink.abort();
    sink.abort();
    assertEquals(0, owner.used());
    assertEquals(List.of(), owner.files());
    assertEquals(Optional.empty(), outputs.find(0, ID));
  }

  @Test
  void doesNotPublishEmptyMapOutput() throws IOException {
    owner.store.buildRows(ID, 50).commit();
    assertEquals(Optional.empty(), outputs.find(0, ID));
    assertEquals(0, owner.used());
    assertEquals(List.of(), owner.files());
    assertFalse(owner.store.unregister(ID.shuffleId()));
  }

  @Test
  void writesIndexToDiskWhenHeapIsFull(Random random) throws IOException {
    Records run = Records.random(random, 100, 50, 100);
    RowOutputBuilder filler = owner.store.buildRows(new MapOutputId(4, 1), 50);
    while (filler.allocateHost(64).isPresent() && owner.used() < ARENA / 2) {
      filler.allocateHost(1 << 20);
    }
    while (filler.allocateHost(64).isPresent()) {}
    RowOutputBuilder sink = owner.store.buildRows(ID, 50);
    run.writeRun(sink, Tier.DISK);
    long used = owner.used();
    sink.commit();
    assertEquals(used, owner.used());
    Records.read(outputs.find(0, ID).orElseThrow(), true).assertSameAs(run);
    filler.abort();
    assertTrue(owner.store.unregister(ID.shuffleId()));
    assertEquals(0, owner.store.reclaim());
    assertEquals(0, owner.used());
    assertEquals(List.of(), owner.files());
  }

  @Test
  void createsFilesThatOnlyOwnerCanAccess(Random random) throws IOException {
    RowOutputBuilder sink = owner.store.buildRows(ID, 50);
    Records.random(random, 10, 50, 100).writeRun(sink, Tier.DISK);
    Path file = owner.files().getFirst();
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    sink.abort();
  }

  @Test
  void doesNotFollowSymbolicLink(Random random) throws IOException {
    Path target = disk.resolve("elsewhere");
    Files.createSymbolicLink(disk.resolve("3-5.runs"), target);
    RowOutputBuilder sink = owner.store.buildRows(ID, 50);
    Records run = Records.random(random, 10, 50, 100);
    assertThrows(IOException.class, () -> run.writeRun(sink, Tier.DISK));
    sink.abort();
    assertFalse(Files.exists(target));
  }

  @Test
  void unregisterHidesAndReclaimFreesWithoutLeases(Random random) throws IOException {
    List<Records> runs =
        List.of(Records.random(random, 10, 50, 100), Records.random(random, 10, 50, 100));
    for (int map = 0; map < 3; map++) {
      owner.publish(new MapOutputId(3, map), runs, List.of(Tier.HOST, Tier.DISK));
    }
    owner.publish(new MapOutputId(4, 9), runs, List.of(Tier.HOST, Tier.DISK));
    long used = owner.used();
    leased.add(3);
    assertTrue(owner.store.unregister(3));
    assertEquals(Optional.empty(), outputs.find(0, new MapOutputId(3, 0)));
    assertEquals(1, owner.store.committed().size());
    assertEquals(1, owner.store.reclaim());
    assertEquals(used, owner.used(), "freed under a lease");
    assertEquals(4, owner.files().size());
    leased.remove(3);
    assertEquals(0, owner.store.reclaim());
    assertEquals(used / 4, owner.used());
    assertEquals(List.of(disk.resolve("4-9.runs")), owner.files());
    assertTrue(outputs.find(0, new MapOutputId(4, 9)).isPresent());
    assertTrue(owner.store.unregister(4));
    owner.store.reclaim();
    assertEquals(0, owner.used());
    assertEquals(List.of(), owner.files());
    assertFalse(owner.store.unregister(4));
    assertEquals(0, owner.store.reclaim());
  }

  @Test
  void freesOutputsHiddenDuringReclaimWithNextCall(Random random) throws IOException {
    List<Records> runs = List.of(Records.random(random, 10, 50, 100));
    Runnable[] meanwhile = {() -> {}};
    Owner other =
        Owner.add(
            windows,
            ARENA,
            disk,
            shuffle -> {
              meanwhile[0].run();
              return leased.contains(shuffle);
            });
    other.publish(new MapOutputId(3, 1), runs, List.of(Tier.HOST));
    other.store.unregister(3);
    other.publish(new MapOutputId(3, 2), runs, List.of(Tier.HOST));
    long used = other.used();
    // A late map output is hidden after reclaim has read the leases.
    meanwhile[0] = () -> other.store.unregister(3);
    other.store.reclaim();
    assertEquals(used, other.used());
    meanwhile[0] = () -> {};
    assertEquals(0, other.store.reclaim());
    assertEquals(0, other.used());
  }

  @Test
  void freesSlabsWhenFileCannotBeDeleted(Random random) throws IOException {
    owner.publish(
        ID,
        List.of(Records.random(random, 10, 50, 100), Records.random(random, 10, 50, 100)),
        List.of(Tier.HOST, Tier.DISK));
    // Deleting a folder that is not empty fails for all users, including root.
    Path file = owner.files().getFirst();
    Files.delete(file);
    Files.createDirectories(file.resolve("full"));
    owner.store.unregister(ID.shuffleId());
    assertEquals(0, owner.store.reclaim());
    assertEquals(0, owner.used());
  }
}
