// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.process.SparkHome;
import io.symshuffle.plugin.config.SparkVersion;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of a release, built from the committed tree and used without it. */
@Tag("long")
class ReleaseIT {
  private static final Duration LIMIT = Duration.ofMinutes(60);

  private static final Path SCRIPTS = Path.of("..").toAbsolutePath().normalize().resolve(".ci");

  @TempDir private Path folder;

  @Test
  @Timeout(value = 120, unit = TimeUnit.MINUTES)
  void filesOfAReleaseRunAnApplicationAndTheCommands() {
    String version = System.getProperty("symshuffle.version").replace("-SNAPSHOT", "");
    run(Map.of(), SCRIPTS.resolve("release").toString(), version);
    SparkHome home = SparkHome.create(folder.resolve("spark"));
    String log = run(home.environment(), SCRIPTS.resolve("check-release").toString());
    String spark = SparkVersion.ofThisJar().text();
    assertTrue(log.contains("the release " + version + " works on Spark " + spark), log);
  }

  private static String run(Map<String, String> environment, String... command) {
    ChildProcess.Result result =
        ChildProcess.of(command)
            .name(Path.of(command[0]).getFileName().toString())
            .withoutEnvironment("SPARK_")
            .environment(environment)
            .run(LIMIT);
    assertEquals(0, result.status(), result.output());
    return result.output();
  }
}
