// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.Symbol;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waiting for a stream with a limit, on a fake GPU whose work can be held up. */
class CudaStreamTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration HELD = Duration.ofMillis(300);

  @TempDir private Path folder;

  private CudaContext context;
  private CudaStream stream;
  private DeviceBuffer memory;
  private Counts counts;

  /** A function of the fake driver. */
  public interface Counts {
    /** Returns how often the driver was asked whether a stream is done. */
    @Symbol("fake_stream_queries")
    int streamQueries();
  }

  @BeforeEach
  void open() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    Path library = FakeLibraries.cuda(folder);
    context = CudaDriver.open(List.of(library.toString())).device(0).openPrimaryContext();
    stream = context.newStream();
    memory = context.allocate(512);
    counts =
        NativeInterface.bind(NativeLibrary.open(List.of(library.toString())), Counts.class).calls();
  }

  @AfterEach
  void close() {
    if (context != null) {
      FakeLibraries.script(folder);
      memory.close();
      stream.close();
      context.close();
    }
  }

  @Test
  void waitingThreadsSeldomAskTheDriver() throws Exception {
    whileHeld(
        () -> {
          long end = System.nanoTime() + HELD.toNanos();
          while (System.nanoTime() < end) {
            assertFalse(asksOften());
          }
        });
  }

  @Test
  void theyAskAgainAndAgainIfTheDriverCannotMarkTheEnd() throws Exception {
    whileHeld(this::awaitManyQuestions, "write_value_rc=801");
  }

  @Test
  void theyAskAgainAndAgainAfterMarksThatNeverArrived() throws Exception {
    for (int i = 0; i < 8; i++) {
      whileHeld(() -> {}, "lose_marks");
    }
    whileHeld(this::awaitManyQuestions);
  }

  @Test
  void laterWaitsSucceedAfterOneThatTimedOut() throws Exception {
    FakeLibraries.script(folder, "hold");
    queueWork();
    assertThrows(TimeoutException.class, () -> stream.synchronize(Duration.ofMillis(20)));
    FakeLibraries.script(folder);
    stream.synchronize(LONG);
    assertTrue(stream.isDone());
  }

  /** Does something while a thread waits for held work. */
  private void whileHeld(Action action, String... words) throws Exception {
    FakeLibraries.script(folder, words);
    FakeLibraries.script(folder, concat(words, "hold"));
    queueWork();
    int before = counts.streamQueries();
    CompletableFuture<Void> wait =
        CompletableFuture.runAsync(
            () -> {
              try {
                stream.synchronize(LONG);
              } catch (TimeoutException e) {
                throw new AssertionError(e);
              }
            });
    try {
      // Asks once before it waits.
      await().atMost(LONG).until(() -> counts.streamQueries() > before);
      action.run();
    } finally {
      FakeLibraries.script(folder, words);
      wait.get();
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  private void awaitManyQuestions() throws Exception {
    await().atMost(LONG).until(this::asksOften);
  }

  /**
   * Returns whether the driver is now asked more often than every 5 ms. A busy machine may keep the
   * waiting thread from asking, but never makes it ask more often.
   */
  private boolean asksOften() throws InterruptedException {
    long start = System.nanoTime();
    int before = counts.streamQueries();
    Thread.sleep(30);
    int asked = counts.streamQueries() - before;
    return asked > 2 + Duration.ofNanos(System.nanoTime() - start).toMillis() / 5;
  }

  private void queueWork() {
    stream.copy(memory.range().slice(0, 256), memory.range().slice(256, 256));
  }

  private static String[] concat(String[] words, String last) {
    String[] all = Arrays.copyOf(words, words.length + 1);
    all[words.length] = last;
    return all;
  }
}
