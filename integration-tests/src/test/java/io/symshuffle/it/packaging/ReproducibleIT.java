// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The packaged jar is reproducible; {@link PackageIT} checks in every build what most often breaks
 * that.
 */
class ReproducibleIT {
  private static final Path SCRIPT = Path.of("..", ".ci", "check-reproducible").toAbsolutePath();

  @Test
  @Tag("long")
  void twoCleanBuildsGiveTheSameBytes() {
    ChildProcess.Result result =
        ChildProcess.of(SCRIPT.toString()).withoutEnvironment("SPARK_").run(Await.LIMIT);
    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains("two builds, the same bytes"), result.output());
  }
}
