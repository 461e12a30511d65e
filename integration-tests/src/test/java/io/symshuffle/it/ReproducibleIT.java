// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.process.ManagedProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The jar that users get, built twice from nothing. */
@Tag("long")
class ReproducibleIT {
  private static final Duration LIMIT = Duration.ofMinutes(20);

  @TempDir private Path folder;

  @Test
  @Timeout(value = 25, unit = TimeUnit.MINUTES)
  void twoBuildsGiveTheSameBytes() {
    Path script = Path.of("..", ".ci", "check-reproducible").toAbsolutePath().normalize();
    try (ManagedProcess process =
        ManagedProcess.start(
            "check-reproducible",
            List.of(script.toString()),
            Map.of(),
            folder.resolve("output.log"))) {
      assertEquals(0, process.awaitExit(LIMIT), process::log);
      assertTrue(process.log().contains("two builds, the same bytes"), process::log);
    }
  }
}
