// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.SharedMemory;
import io.symshuffle.it.Folders;
import io.symshuffle.it.LeakCheck;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.process.SparkSubmission;
import io.symshuffle.it.program.ShuffleProgram;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Several applications on one host, started with {@code spark-submit}, one of which is killed. */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
class SubmissionsIT {
  private static final Pattern ROUND =
      Pattern.compile("rows=100 sum=7998000 exchanges=2 ours=2 application=(\\S+)");
  private static final Pattern SECOND_ROUND =
      Pattern.compile(ROUND.pattern() + "[\\s\\S]*" + ROUND.pattern());

  @TempDir private Path folder;

  @TempDir(factory = SharedMemory.class)
  private Path heaps;

  /** A bystander that runs throughout keeps its files and its shuffles. */
  @Test
  void nextApplicationSweepsAKilledOneAndLeavesOthersAlone() throws IOException {
    SparkHome home = SparkHome.create(folder.resolve("home"), List.of(Jars.plugin()));
    Path go = folder.resolve("go");
    try (ChildProcess bystander =
        submission(home).arguments(go.toString()).start(folder.resolve("bystander"))) {
      bystander.awaitOutput(ROUND, Await.LIMIT);
      List<Path> stays = applicationFolders();
      assertEquals(1, stays.size(), stays::toString);
      try (ChildProcess victim =
          submission(home)
              .arguments(folder.resolve("never").toString())
              .start(folder.resolve("victim"))) {
        victim.awaitOutput(ROUND, Await.LIMIT);
        victim.kill();
      }
      List<Path> left = applicationFolders();
      assertEquals(2, left.size(), left::toString);
      // The sweep spares recent folders, whose application may not have locked them yet.
      for (Path each : left) {
        Files.setLastModifiedTime(each, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
      }
      try (ChildProcess next = submission(home).start(folder.resolve("next"))) {
        assertEquals(0, next.awaitEnd(Await.LIMIT), next::output);
        next.awaitOutput(ROUND, Duration.ZERO);
      }
      assertEquals(stays, applicationFolders());
      Files.createFile(go);
      assertEquals(0, bystander.awaitEnd(Await.LIMIT), bystander::output);
      bystander.awaitOutput(SECOND_ROUND, Duration.ZERO);
    }
    assertNothingLeft();
  }

  private SparkSubmission submission(SparkHome home) {
    return SparkSubmission.of(home, ShuffleProgram.class)
        .master("local[2]")
        .conf("spark.plugins", "io.symshuffle.SymShufflePlugin")
        .conf("spark.symshuffle.heap.dir", heaps.toString())
        .conf("spark.local.dir", folder.resolve("local").toString());
  }

  private List<Path> applicationFolders() {
    return Folders.under(heaps)
        .filter(path -> !path.equals(heaps))
        .filter(path -> path.getFileName().toString().startsWith(LeakCheck.OURS))
        .toList();
  }

  private void assertNothingLeft() {
    assertTrue(
        Await.holdsWithin(
            Await.LIMIT,
            () -> LeakCheck.leftovers(heaps, folder.resolve("local"), List.of()).isEmpty()),
        () -> LeakCheck.leftovers(heaps, folder.resolve("local"), List.of()).toString());
  }
}
