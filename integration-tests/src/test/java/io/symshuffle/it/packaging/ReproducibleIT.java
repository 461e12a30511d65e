// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The packaged jar is reproducible; {@link PackageIT} checks in every build what most often breaks
 * that.
 */
class ReproducibleIT {
  private static final Duration LIMIT = Duration.ofMinutes(20);
  private static final Path SCRIPT = Path.of("..", ".ci", "check-reproducible").toAbsolutePath();

  @Test
  @Tag("long")
  @Timeout(value = 25, unit = TimeUnit.MINUTES)
  void twoCleanBuildsGiveTheSameBytes() {
    ChildProcess.Result result =
        ChildProcess.of(SCRIPT.toString()).withoutEnvironment("SPARK_").run(LIMIT);
    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains("two builds, the same bytes"), result.output());
  }
}
