// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.table.FakeEngine;
import io.symshuffle.shuffle.table.TableShuffleHandle;
import io.symshuffle.shuffle.table.TableShuffleReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/** The lease of a reduce task, from its first read to its end. */
class ReduceTaskReaderTest {
  private static final int SHUFFLE = 9;
  private static final ReadRequest REQUEST = new ReadRequest(SHUFFLE, 0, Integer.MAX_VALUE, 0, 1);

  @TempDir Path base;
  private final TaskContextImpl context = TaskContext$.MODULE$.empty();
  private final List<String> events = new ArrayList<>();
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
            new ShuffleStats());
  }

  @AfterEach
  void end() {
    runtime.close();
    folder.remove();
  }

  @ParameterizedTest
  @CsvSource({"true, 0", "false, 1"})
  void releasesLeaseOnlyIfNothingIsReadAnymore(boolean readsEnded, int leases) {
    assertFalse(new FakeReader(readsEnded).read().hasNext());
    assertEquals(1, runtime.leases().size());
    context.markTaskCompleted(Option.empty());
    assertEquals(List.of("read under 1 lease", "ended under 1 lease"), events);
    assertEquals(leases, runtime.leases().size());
  }

  @Test
  void refusesToReadForATaskThatHasEnded() {
    context.markTaskCompleted(Option.empty());
    FakeReader late = new FakeReader(true);
    assertThrows(IllegalStateException.class, late::read);
    assertEquals(List.of(), events);
  }

  /** Another executor's GPU may not reach a table, while each executor of a host reads its heap. */
  @Test
  void onlyReadersOfTablesAskEachOwnerItself() {
    FakeEngine engine =
        new FakeEngine(
            () -> {
              throw new AssertionError("needs a GPU");
            });
    ReduceTaskReader<?, ?> tables =
        new TableShuffleReader<>(
            runtime,
            engine,
            new TableShuffleHandle<>(SHUFFLE, null, false),
            REQUEST,
            context,
            new FakeMetrics());
    assertTrue(tables.servers("2").direct());
    assertFalse(new FakeReader(true).servers("2").direct());
  }

  private final class FakeReader extends ReduceTaskReader<Object, Object> {
    private final boolean readsEnded;

    FakeReader(boolean readsEnded) {
      super(runtime, REQUEST, context, new FakeMetrics());
      this.readsEnded = readsEnded;
    }

    @Override
    protected Iterator<Product2<Object, Object>> read(ReadTask task, InPlaceAccess access) {
      note("read");
      return CollectionConverters.asScala(List.<Product2<Object, Object>>of().iterator());
    }

    @Override
    protected boolean endReads() {
      note("ended");
      return readsEnded;
    }

    private void note(String what) {
      events.add("%s under %d lease".formatted(what, runtime().leases().size()));
    }
  }
}
