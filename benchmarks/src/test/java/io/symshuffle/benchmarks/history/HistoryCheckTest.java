// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks histories of an owner, PE 0, and of a reader. The shuffle is 7, the map task 3. */
class HistoryCheckTest {
  private static final int SHUFFLE = 7;
  private static final long MAP = 3;

  private final List<Event> owner = new ArrayList<>();
  private final List<Event> reader = new ArrayList<>();

  @Test
  void acceptsAFreeAfterTheLease() {
    readFrom10To30();
    owner(EventKind.ERASE, 15);
    free(31, 1024, 64);
    assertFound(0, 0, 0);
  }

  @Test
  void findsBytesThatAreFreedWhileTheyAreLeased() {
    readFrom10To30();
    free(25, 1024, 64);
    assertFound(1, 0, 0);
  }

  @Test
  void findsAFreeOfAPartOfTheBytes() {
    readFrom10To30();
    owner.add(event(EventKind.PUNCH, 25, 1080, 4096));
    assertFound(1, 0, 0);
  }

  @Test
  void acceptsAFreeOfOtherBytesOrOfAnotherPe() {
    readFrom10To30();
    owner.add(event(EventKind.PUNCH, 25, 1088, 64));
    owner.add(event(EventKind.PUNCH, 25, 960, 64));
    owner.add(new Event(EventKind.PUNCH, 25, 1, 0, 0, 1024, 64));
    assertFound(0, 0, 0);
  }

  /** The new owner of reused bytes may be read under a lease that began before they were freed. */
  @Test
  void acceptsAFreeBeforeTheBytesAreRead() {
    readFrom10To30();
    free(19, 1024, 64);
    free(18, 2048, 64);
    assertFound(0, 0, 0);
  }

  @Test
  void keepsTheFirstTimeOfBytesThatAreReadAgain() {
    lease(10);
    read(20, 1024, 64);
    read(26, 1024, 128);
    release(30);
    owner.add(event(EventKind.PUNCH, 25, 1024, 64));
    owner.add(event(EventKind.PUNCH, 25, 1088, 64));
    assertFound(1, 0, 0);
  }

  @Test
  void findsAFreeOfAMapOutputWithoutBytesInTheHostHeap() {
    lease(10);
    reader(EventKind.FOUND, 12);
    release(30);
    free(25, 0, 0);
    assertFound(1, 0, 0);
  }

  @Test
  void leasesOfOneShuffleEndWithTheLastOne() {
    lease(10);
    lease(11);
    read(20, 1024, 64);
    release(21);
    free(25, 1024, 64);
    release(30);
    assertFound(1, 0, 0);
  }

  /** Its last event is the last moment at which it was certainly alive. */
  @Test
  void leasesOfAKilledProcessEndWithIt() {
    lease(10);
    read(20, 1024, 64);
    free(19, 1024, 64);
    free(21, 1024, 64);
    assertFound(0, 0, 0);
    reader(EventKind.MAP, 22);
    assertFound(1, 0, 0);
  }

  @Test
  void findsAWindowThatIsUnmappedWhileItIsRead() {
    readFrom10To30();
    reader(EventKind.UNMAP, 25);
    assertFound(1, 0, 0);
  }

  @Test
  void findsReadsOfAnUnmappedWindow() {
    reader(EventKind.MAP, 1);
    reader(EventKind.UNMAP, 2);
    readFrom10To30();
    assertFound(1, 0, 0);
    reader(EventKind.MAP, 3);
    assertFound(0, 0, 0);
  }

  @Test
  void findsAPublishedMapOutputThatIsMissing() {
    owner(EventKind.PUBLISH, 10);
    missing(11, 12);
    assertFound(0, 1, 0);
  }

  @Test
  void acceptsALookupBeforeTheMapOutputIsPublished() {
    owner(EventKind.PUBLISH, 10);
    missing(9, 12);
    assertFound(0, 0, 0);
  }

  @Test
  void acceptsALookupOfAnErasedMapOutput() {
    owner(EventKind.PUBLISH, 10);
    owner(EventKind.ERASE, 12);
    missing(11, 13);
    assertFound(0, 0, 0);
  }

  @Test
  void anEraseAfterALookupDoesNotExcuseIt() {
    owner(EventKind.PUBLISH, 10);
    missing(11, 12);
    owner(EventKind.ERASE, 13);
    assertFound(0, 1, 0);
  }

  @Test
  void anEraseOfAnotherMapOutputDoesNotExcuseALookup() {
    owner(EventKind.PUBLISH, 10);
    owner.add(new Event(EventKind.ERASE, 11, 0, SHUFFLE, MAP + 1, 0, 0));
    owner.add(new Event(EventKind.ERASE, 11, 1, SHUFFLE, MAP, 0, 0));
    missing(12, 13);
    assertFound(0, 1, 0);
  }

  @Test
  void acceptsMapOutputsThatWereErasedFromTheDirectoryOfADeadPe() {
    owner(EventKind.PUBLISH, 10);
    reader.add(new Event(EventKind.ERASE, 11, Event.ANY_PE, SHUFFLE, MAP, 0, 0));
    missing(12, 13);
    assertFound(0, 0, 0);
  }

  @Test
  void findsReadsWithoutALease() {
    read(9, 1024, 64);
    readFrom10To30();
    reader(EventKind.FOUND, 31);
    assertFound(0, 0, 2);
  }

  @Test
  void checksUpToTheEndOfAHistoryThatIsFull() {
    readFrom10To30();
    free(25, 1024, 64);
    List<History> histories =
        List.of(new History("owner", owner, true), new History("reader", reader, true));
    assertEquals(1, HistoryCheck.of(histories).overlaps());
    History full = new History("full", List.of(event(EventKind.MAP, 24, 0, 0)), false);
    HistoryCheck.Result result = HistoryCheck.of(List.of(histories.get(0), histories.get(1), full));
    assertEquals(0, result.overlaps());
    assertEquals(3, result.events());
  }

  @Test
  void keepsEventsThatFitIntoTheFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("executor-1-1");
    HistoryWriter writer = new HistoryWriter(file, 64 + 2 * 48);
    Event first = event(EventKind.READ, 5, Long.MAX_VALUE, 1L << 40);
    Event second = new Event(EventKind.UNMAP, 4, 1 << 20, -1, Long.MIN_VALUE, 0, 0);
    writer.append(first);
    writer.append(second);
    History history = History.readAll(folder).getFirst();
    assertEquals(List.of(second, first), history.events());
    assertTrue(history.isComplete());
    writer.append(first);
    History full = History.readAll(folder).getFirst();
    assertEquals(2, full.events().size());
    assertTrue(!full.isComplete());
  }

  /** The process may be killed before it has stored the kind. */
  @Test
  void ignoresEventsThatWereNotWritten(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("executor-1-1");
    HistoryWriter writer = new HistoryWriter(file, 4096);
    Event event = event(EventKind.READ, 5, 0, 1);
    writer.append(event);
    writer.append(event);
    byte[] bytes = Files.readAllBytes(file);
    bytes[64 + 40] = 0;
    Files.write(file, bytes);
    assertEquals(List.of(event), History.readAll(folder).getFirst().events());
  }

  /** 64 bytes at 1024 are read at 20. */
  private void readFrom10To30() {
    lease(10);
    read(20, 1024, 64);
    release(30);
  }

  private void lease(long time) {
    reader(EventKind.LEASE, time);
  }

  private void release(long time) {
    reader(EventKind.RELEASE, time);
  }

  private void read(long time, long offset, long bytes) {
    reader.add(event(EventKind.READ, time, offset, bytes));
  }

  private void missing(long start, long end) {
    reader.add(event(EventKind.MISSING, start, end, 0));
  }

  private void free(long time, long offset, long bytes) {
    owner.add(event(EventKind.FREE, time, offset, bytes));
  }

  private void owner(EventKind kind, long time) {
    owner.add(event(kind, time, 0, 0));
  }

  private void reader(EventKind kind, long time) {
    reader.add(event(kind, time, 0, 0));
  }

  private static Event event(EventKind kind, long time, long offset, long bytes) {
    return new Event(kind, time, 0, SHUFFLE, MAP, offset, bytes);
  }

  private HistoryCheck.Result result() {
    return HistoryCheck.of(
        List.of(new History("owner", owner, true), new History("reader", reader, true)));
  }

  private void assertFound(long overlaps, long lost, long unleased) {
    HistoryCheck.Result found = result();
    assertEquals(
        List.of(overlaps, lost, unleased),
        List.of(found.overlaps(), found.lost(), found.unleased()),
        () -> found.examples().toString());
  }
}
