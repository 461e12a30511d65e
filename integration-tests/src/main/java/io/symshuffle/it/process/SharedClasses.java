// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import io.symshuffle.it.program.LoadClasses;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * The JVM's archive of Spark's classes (class data sharing), which halves the CPU time of a short
 * Spark process. A JVM uses it if its class path starts with {@link Jars#spark()}. Otherwise, it
 * ignores the archive.
 */
public final class SharedClasses {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** An archive fits one version of Java and of Spark. */
  private static final Path ARCHIVE =
      Path.of(
              System.getProperty("symshuffle.build", "target"),
              "spark-classes-java-%d.jsa".formatted(Runtime.version().feature()))
          .toAbsolutePath();

  private static final List<String> OPTIONS = create();

  private SharedClasses() {}

  /**
   * {@return options of a JVM that uses the archive; none if this Java runtime cannot create one}
   * The first call creates the archive, which takes some 20 s.
   */
  public static List<String> options() {
    return OPTIONS;
  }

  private static List<String> create() {
    try {
      if (!Files.exists(ARCHIVE)) {
        Path folder = Files.createDirectories(ARCHIVE.resolveSibling("spark-classes"));
        Path fresh = folder.resolve("fresh.jsa");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        Collections.addAll(command, JavaModuleOptions.defaultModuleOptionArray());
        Collections.addAll(command, "-XX:ArchiveClassesAtExit=" + fresh, "-Xlog:cds=off");
        Collections.addAll(command, "-cp", Jars.join(Jars.spark()));
        Collections.addAll(command, "org.apache.spark.deploy.SparkSubmit", "--master", "local[2]");
        Collections.addAll(command, "--conf", "spark.local.dir=" + folder);
        Collections.addAll(command, "--class", LoadClasses.class.getName());
        command.add(Jars.holding(LoadClasses.class, folder).toString());
        ChildProcess.Result result =
            ChildProcess.of(command).name("archive of Spark's classes").run(LIMIT);
        if (result.status() == 0 && !Files.exists(fresh)) {
          // A runtime image without the base archive cannot create one.
          return List.of();
        }
        if (result.status() != 0) {
          throw new IllegalStateException(
              "exit status %d:%n%s".formatted(result.status(), result.output()));
        }
        Files.move(fresh, ARCHIVE, StandardCopyOption.ATOMIC_MOVE);
      }
      return List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-Xshare:auto", "-Xlog:cds=off");
    } catch (IOException e) {
      throw new UncheckedIOException("creating " + ARCHIVE, e);
    }
  }
}
