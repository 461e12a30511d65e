// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.assertFetchFails;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.source;
import static io.symshuffle.shuffle.read.Reading.task;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.Runtimes;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A heap file is truncated while other processes map it: fetches fail, but the process survives.
 */
@ExtendWith(SeededRandom.class)
class ShortenedHeapTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final long HEAD = 2 << 20;
  private static final int PARTITIONS = 10;

  @TempDir Path base;
  private HeapFolder folder;
  private ShuffleRuntime owner;
  private ShuffleRuntime reader;
  private final ShuffleStats stats = new ShuffleStats();

  @BeforeEach
  void start() throws IOException {
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    owner = join(0);
    reader = join(1);
  }

  @AfterEach
  void end() {
    reader.close();
    owner.close();
    folder.remove();
  }

  @Test
  void failsFetchWhenRunIsTruncated(Random random) throws IOException {
    publish(random);
    drain(cursor(true));
    // The index is already checked and cached; the arena is truncated.
    shorten(HEAD + (1 << 20));
    for (boolean verify : new boolean[] {true, false}) {
      assertFetchFails(source(0, 1), () -> drain(cursor(verify)));
    }
  }

  @Test
  void failsFetchWhenIndexIsTruncated(Random random) throws IOException {
    publish(random);
    reader.readsInPlace(0);
    shorten(HEAD + (1 << 20));
    assertFetchFails(source(0, 1), () -> drain(cursor(true)));
  }

  /** Readers of tables and of rows in GPU memory inspect the index before they read. */
  @Test
  void failsFetchWhenIndexIsTruncatedBeforeItIsInspected(Random random) throws IOException {
    publish(random);
    reader.readsInPlace(0);
    shorten(HEAD + (1 << 20));
    ReadTask inspecting = task(reader.outputs(), 0, PARTITIONS, true, new FakeMetrics(), stats);
    assertFetchFails(
        source(0, 1), () -> inspecting.inspect(new LocalSource(source(0, 1), 0), output -> true));
  }

  @Test
  void failsFetchWhenDirectoryIsTruncatedAndFreesMemoryWhenItsOwnerIsDead(Random random)
      throws Exception {
    publish(random);
    reader.readsInPlace(0);
    shorten(HEAD);
    assertFetchFails(source(0, 1), () -> drain(cursor(true)));
    RowOutputBuilder sink = reader.store().buildRows(new MapOutputId(SHUFFLE + 1, 1), PARTITIONS);
    Records.random(random, 50, PARTITIONS, 100).writeRun(sink, Tier.HOST);
    sink.commit();
    reader.unregister(SHUFFLE + 1);
    assertTrue(reader.slabStats().usedBytes() > 0, "the owner's leases are unknown");
    owner.close();
    await().atMost(LIMIT).until(() -> reader.slabStats().usedBytes() == 0);
  }

  @Test
  void doesNotMapTruncatedHeap() throws IOException {
    shorten(HEAD);
    assertFalse(reader.readsInPlace(0));
  }

  private ShuffleRuntime join(int pe) throws IOException {
    return Runtimes.start(folder, pe, 8 << 20);
  }

  private void publish(Random random) throws IOException {
    RowOutputBuilder sink = owner.store().buildRows(new MapOutputId(SHUFFLE, 1), PARTITIONS);
    Records.random(random, 5000, PARTITIONS, 100).writeRun(sink, Tier.HOST);
    sink.commit();
  }

  private HostCursor cursor(boolean verify) {
    return new HostCursor(
        task(reader.outputs(), 0, PARTITIONS, verify, new FakeMetrics(), stats),
        List.of(new LocalSource(source(0, 1), 0)));
  }

  private void shorten(long bytes) throws IOException {
    try (FileChannel file = FileChannel.open(folder.heapFile(0), StandardOpenOption.WRITE)) {
      file.truncate(bytes);
    }
  }
}
