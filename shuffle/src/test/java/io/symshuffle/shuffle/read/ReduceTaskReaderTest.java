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
import io.symshuffle.shuffle.task.TableShuffleHandle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
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

  @ParameterizedTest
  @CsvSource({"true, 0", "false, 1"})
  void releasesLeaseOnlyIfNothingIsReadAnymore(boolean readsEnded, int leases) throws IOException {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    try (ShuffleRuntime runtime = runtime(folder)) {
      assertFalse(new FakeReader(runtime, readsEnded).read().hasNext());
      assertEquals(1, runtime.leases().size());
      context.markTaskCompleted(Option.empty());
      assertEquals(List.of("read under 1 lease", "ended under 1 lease"), events);
      assertEquals(leases, runtime.leases().size());
    } finally {
      folder.remove();
    }
  }

  @Test
  void refusesToReadForATaskThatHasEnded() throws IOException {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    try (ShuffleRuntime runtime = runtime(folder)) {
      context.markTaskCompleted(Option.empty());
      FakeReader late = new FakeReader(runtime, true);
      assertThrows(IllegalStateException.class, late::read);
      assertEquals(List.of(), events);
    } finally {
      folder.remove();
    }
  }

  /** Another executor's GPU may not reach a table, while each executor of a host reads its heap. */
  @Test
  void onlyReadersOfTablesAskEachOwnerItself() throws IOException {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    try (ShuffleRuntime runtime = runtime(folder)) {
      FakeEngine engine =
          new FakeEngine(
              () -> {
                throw new AssertionError("needs a GPU");
              });
      TableShuffleReader<Object, Object> tables =
          new TableShuffleReader<>(
              runtime,
              engine,
              new TableShuffleHandle<>(SHUFFLE, null, false),
              REQUEST,
              context,
              new FakeMetrics());
      assertTrue(tables.servers("2").direct());
      assertFalse(new FakeReader(runtime, true).servers("2").direct());
    } finally {
      folder.remove();
    }
  }

  private static ShuffleRuntime runtime(HeapFolder folder) throws IOException {
    HostHeap heap = HostHeap.create(folder, 0, ShuffleRuntime.windowBytes(8 << 20));
    return ShuffleRuntime.start(
        new ShuffleConfig(1 << 20, true, true, 0),
        heap,
        folder.diskFolders(0),
        id -> OptionalInt.empty(),
        new ShuffleStats());
  }

  private final class FakeReader extends ReduceTaskReader<Object, Object> {
    private final boolean readsEnded;

    FakeReader(ShuffleRuntime runtime, boolean readsEnded) {
      super(runtime, REQUEST, context, new FakeMetrics());
      this.readsEnded = readsEnded;
    }

    @Override
    Iterator<Product2<Object, Object>> read(ReadTask task, InPlaceAccess access) {
      note("read");
      return CollectionConverters.asScala(List.<Product2<Object, Object>>of().iterator());
    }

    @Override
    boolean endReads() {
      note("ended");
      return readsEnded;
    }

    private void note(String what) {
      events.add("%s under %d lease".formatted(what, runtime().leases().size()));
    }
  }
}
