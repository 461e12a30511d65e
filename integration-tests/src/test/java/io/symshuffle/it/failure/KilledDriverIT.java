// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

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
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The process of a driver is killed ({@code kill -9}) while executors keep its map outputs. */
@Execution(ExecutionMode.CONCURRENT)
class KilledDriverIT {
  private static final Pattern ROUND = Pattern.compile("rows=100 \\S+ exchanges=2 ours=2");

  @TempDir private Path folder;

  @TempDir(factory = SharedMemory.class)
  private Path heaps;

  @Test
  @Tag("full")
  void executorsEndAndLeaveNothingInMemoryOrOnDisk() throws IOException {
    Path local = folder.resolve("local");
    SparkHome home = SparkHome.create(folder.resolve("home"), List.of(Jars.plugin()));
    try (ChildProcess driver =
        SparkSubmission.of(home, ShuffleProgram.class)
            .master("local-cluster[2,1,1024]")
            .conf("spark.plugins", "io.symshuffle.SymShufflePlugin")
            .conf("spark.symshuffle.heap.dir", heaps.toString())
            .conf("spark.symshuffle.heap.size", "1m")
            .conf("spark.local.dir", local.toString())
            .arguments(folder.resolve("never").toString(), "1000000")
            .start(folder.resolve("driver"))) {
      driver.awaitOutput(ROUND, Await.LIMIT);
      List<ProcessHandle> executors = driver.handle().children().toList();
      assertEquals(2, executors.size());
      assertEquals(2, files(heaps, ".heap"));
      assertTrue(files(local, ".runs") > 0, "nothing is on disk");

      driver.kill();

      assertTrue(
          Await.holdsWithin(
              Await.LIMIT, () -> executors.stream().noneMatch(ProcessHandle::isAlive)),
          "an executor is alive");
      // The executors have removed it before they ended: nobody else would.
      assertEquals(List.of(), List.copyOf(LeakCheck.leftovers(heaps, local, List.of())));
    }
  }

  private static long files(Path folder, String suffix) {
    return Folders.under(folder).filter(path -> path.toString().endsWith(suffix)).count();
  }
}
