// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.Folders;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.process.SparkSubmission;
import io.symshuffle.it.program.ShuffleProgram;
import io.symshuffle.it.wait.Await;
import io.symshuffle.plugin.config.SparkVersion;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Our jar from a Maven repository, with {@code spark-submit --packages}. */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
class RepositoryIT {
  private static final String ARTIFACT =
      "symshuffle-spark-%s_2.13".formatted(SparkVersion.ofThisJar().text());
  private static final String VERSION = System.getProperty("symshuffle.version");

  @TempDir private Path folder;

  @Test
  void packagesOptionLoadsOnlyTheJar() throws IOException {
    Path repository = folder.resolve("repository");
    Path target = Jars.plugin().getParent();
    Path tree = Path.of("..").toAbsolutePath().normalize();
    put(repository, ARTIFACT, target.resolve("dependency-reduced-pom.xml"), ".pom");
    put(repository, ARTIFACT, Jars.plugin(), ".jar");
    put(repository, "symshuffle-parent", tree.resolve("pom.xml"), ".pom");
    SparkHome home = SparkHome.create(folder.resolve("home"));
    SparkSubmission submission =
        SparkSubmission.of(home, ShuffleProgram.class)
            .master("local[2]")
            .conf("spark.plugins", "io.symshuffle.SymShufflePlugin")
            .conf("spark.symshuffle.heap.dir", heaps().toString())
            .conf("spark.jars.packages", "io.symshuffle:" + ARTIFACT + ":" + VERSION)
            .conf("spark.jars.repositories", repository.toUri().toString())
            .conf("spark.jars.ivy", folder.resolve("ivy").toString());
    try (ChildProcess application = submission.start(folder)) {
      assertEquals(0, application.awaitEnd(Await.LIMIT), application::output);
      application.awaitOutput(Pattern.compile("exchanges=2 ours=2"), Duration.ZERO);
      application.awaitOutput(Pattern.compile("1 artifacts copied"), Duration.ZERO);
    } finally {
      Folders.delete(heaps());
    }
  }

  private Path heaps() {
    return Folders.create(
        Path.of("/dev/shm", "it-symshuffle-packages-" + ProcessHandle.current().pid()));
  }

  private static void put(Path repository, String artifact, Path file, String ending)
      throws IOException {
    Path place = repository.resolve("io/symshuffle").resolve(artifact).resolve(VERSION);
    Files.createDirectories(place);
    Files.copy(file, place.resolve(artifact + "-" + VERSION + ending));
  }
}
