// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a thread of ours throws does not reach the handler with which Spark ends an executor. */
class DaemonThreadsTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final List<Throwable> fatal = Collections.synchronizedList(new ArrayList<>());
  private Thread.UncaughtExceptionHandler before;

  @BeforeEach
  void installHandler() {
    before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> fatal.add(failure));
  }

  @AfterEach
  void restoreHandler() {
    Thread.setDefaultUncaughtExceptionHandler(before);
  }

  @Test
  void exceptionsAndErrorsOnlyEndTheThread() throws InterruptedException {
    for (Throwable thrown : List.of(new IllegalStateException(), new NoClassDefFoundError())) {
      Thread started = DaemonThreads.start("test", () -> sneak(thrown));
      Thread made = DaemonThreads.factory("test").newThread(() -> sneak(thrown));
      made.start();
      assertTrue(started.join(LIMIT) && made.join(LIMIT), "the threads end");
      assertTrue(started.isDaemon() && made.isDaemon(), "the JVM may end before them");
    }
    assertEquals(List.of(), fatal);
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
