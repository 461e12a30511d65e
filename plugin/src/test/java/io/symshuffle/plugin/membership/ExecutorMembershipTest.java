// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.membership.Message.EndedShuffle;
import io.symshuffle.plugin.membership.Message.ShufflesEnded;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.Runtimes;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver sends ends of shuffles again to an executor that reports fewer than it was sent. */
class ExecutorMembershipTest {
  private static final long LAST_TASK = 100;

  @TempDir Path base;
  private HeapFolder folder;
  private ShuffleRuntime runtime;
  private final ExecutorMembership membership =
      new ExecutorMembership(
          new DriverLink(new FakeContext(message -> message)), ConfigReader.read(Map.of()));

  @BeforeEach
  void start() throws IOException {
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    runtime = Runtimes.start(folder, 0, 1 << 20);
    ShuffleRuntime.install(runtime);
  }

  @AfterEach
  void end() {
    runtime.close();
    folder.remove();
  }

  @Test
  void countsNoEndsOfShufflesAfterALostMessageUntilAllAreSentAgain() {
    receive(List.of(0, 1), 0, 2);
    assertEquals(2, membership.ends());

    // The message with the third end is lost.
    receive(List.of(3), 3, 4);
    assertTrue(runtime.store().hasEnded(new MapOutputId(3, LAST_TASK)));
    assertEquals(2, membership.ends(), "ends up to the lost one");

    receive(List.of(4), 4, 5);
    assertEquals(2, membership.ends(), "ends up to the lost one");

    receive(List.of(0, 1, 2, 3, 4), 0, 5);
    assertEquals(5, membership.ends());
  }

  @Test
  void countsNoEndsOfShufflesThatNoRuntimeHasLearned() {
    ShuffleRuntime.unavailable("not started yet");
    receive(List.of(0), 0, 1);
    assertEquals(0, membership.ends());
  }

  private void receive(List<Integer> shuffles, long before, long total) {
    membership.receive(
        new ShufflesEnded(
            shuffles.stream().map(id -> new EndedShuffle(id, LAST_TASK)).toList(), before, total));
  }
}
