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
import io.symshuffle.shuffle.runtime.PeTable;
import io.symshuffle.shuffle.runtime.ShuffleConfig;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.shuffle.FetchFailedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;
import scala.collection.immutable.Map$;
import scala.jdk.javaapi.CollectionConverters;

/** The lease of a reduce task, from its first read to its end. */
class ReduceTaskReaderTest {
  private static final int SHUFFLE = 9;
  private static final ReadRequest REQUEST = new ReadRequest(SHUFFLE, 0, Integer.MAX_VALUE, 0, 1);

  private static final String LOST = "exec-3";

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
            new PeTable() {
              @Override
              public OptionalInt findPe(String executorId) {
                return OptionalInt.empty();
              }

              @Override
              public boolean isLost(String executorId) {
                return executorId.equals(LOST);
              }
            },
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

  @Test
  void mergesTheMetricsOfAllReadersOfATaskOnceWhenTheyAreFinal() {
    TaskMetrics metrics =
        new TaskMetrics() {
          private static final long serialVersionUID = 1L;

          @Override
          public synchronized void mergeShuffleReadMetrics() {
            events.add("merged under %d leases".formatted(runtime.leases().size()));
          }
        };
    TaskContextImpl task =
        new TaskContextImpl(
            1, 0, 0, 5, 0, 1, null, new Properties(), null, metrics, 1, Map$.MODULE$.empty());
    for (int i = 0; i < 3; i++) {
      new FakeReader(task, true).read();
    }
    task.markTaskCompleted(Option.empty());
    assertEquals("merged under 0 leases", events.getLast());
    assertEquals(1, events.stream().filter(event -> event.startsWith("merged")).count());
  }

  @Test
  void asksEachOwnerItselfOnlyIfOthersReachItsMapOutputsLessWell() {
    assertTrue(
        new FakeReader(true) {
          @Override
          protected boolean asksOwners() {
            return true;
          }
        }.servers("2").direct());
    assertFalse(new FakeReader(true).servers("2").direct());
  }

  /** A fault of reading in place, of any kind, must not fail all attempts of a stage. */
  @Test
  void laterAttemptsOfAStageAskLivingOwnersWhoseMapOutputsCouldNotBeRead() {
    List<List<String>> asked = new ArrayList<>();
    for (int attempt = 0; attempt < 3; attempt++) {
      TaskContextImpl task = attempt(attempt);
      FakeReader reader = new FakeReader(task, true);
      assertFalse(reader.read().hasNext());
      asked.add(Stream.of("exec-1", "exec-2", LOST).filter(reader::asksInsteadOfReading).toList());
      if (attempt == 0) {
        for (int pe = 1; pe < 4; pe += 2) {
          task.setFetchFailed(
              new FetchFailedException(
                  Reading.executor(pe), SHUFFLE, 4, 4, 0, "cannot be read", null));
          task.markTaskCompleted(Option.empty());
          task = attempt(attempt);
          assertFalse(new FakeReader(task, true).read().hasNext());
        }
      }
    }
    assertEquals(List.of(List.of(), List.of("exec-1"), List.of("exec-1", "exec-2")), asked);
  }

  private static TaskContextImpl attempt(int ofStage) {
    return new TaskContextImpl(
        0,
        ofStage,
        0,
        0,
        0,
        1,
        null,
        new Properties(),
        null,
        TaskMetrics.empty(),
        1,
        Map$.MODULE$.empty());
  }

  private class FakeReader extends ReduceTaskReader<Object, Object> {
    private final boolean readsEnded;

    FakeReader(boolean readsEnded) {
      this(context, readsEnded);
    }

    FakeReader(TaskContext task, boolean readsEnded) {
      super(runtime, REQUEST, task, new FakeMetrics());
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
