// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

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
import java.util.spi.ToolProvider;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A module's archive of Spark's classes for its JVMs (class data sharing), which halves the CPU
 * time of a short Spark process. A JVM uses it if its class path starts with that of the archive.
 * Otherwise, it ignores the archive.
 */
public final class SharedClasses {
  /** It takes some 20 s, and much longer on a busy machine. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** An archive fits one version of Java and of Spark. */
  private static final Path ARCHIVE =
      Path.of(
              System.getProperty("symshuffle.build", "target"),
              "spark-classes-java-%d.jsa".formatted(Runtime.version().feature()))
          .toAbsolutePath();

  private static boolean isPossible = true;

  private SharedClasses() {}

  /**
   * Returns options of a JVM that uses the archive; none if this Java runtime cannot create one.
   * The first call creates the archive.
   *
   * @param classPath Spark's jars, always the same in a module
   */
  public static synchronized List<String> options(String classPath) {
    try {
      if (isPossible && !Files.exists(ARCHIVE)) {
        isPossible = create(classPath);
      }
      return isPossible
          ? List.of(
              "-XX:SharedArchiveFile=" + ARCHIVE,
              "-Xshare:auto",
              "-Xlog:cds*=off",
              // Otherwise each JVM moves the whole archive to a random address.
              "-XX:+UnlockDiagnosticVMOptions",
              "-XX:ArchiveRelocationMode=0")
          : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException("creating " + ARCHIVE, e);
    }
  }

  /** Returns false if this is a runtime image without the base archive. */
  private static boolean create(String classPath) throws IOException {
    Path folder = Files.createDirectories(ARCHIVE.resolveSibling("spark-classes"));
    Path fresh = folder.resolve("fresh.jsa");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    Collections.addAll(command, JavaModuleOptions.defaultModuleOptionArray());
    Collections.addAll(command, "-XX:ArchiveClassesAtExit=" + fresh, "-Xlog:cds*=off");
    Collections.addAll(command, "-cp", classPath);
    Collections.addAll(command, "org.apache.spark.deploy.SparkSubmit", "--master", "local[2]");
    Collections.addAll(command, "--conf", "spark.local.dir=" + folder);
    Collections.addAll(command, "--class", LoadClasses.class.getName());
    command.add(program(folder.resolve("program.jar")).toString());
    ChildProcess.Result result =
        ChildProcess.of(command).name("archive of Spark's classes").run(LIMIT);
    if (result.status() != 0) {
      throw new IllegalStateException(
          "exit status %d:%n%s".formatted(result.status(), result.output()));
    }
    if (!Files.exists(fresh)) {
      return false;
    }
    Files.move(fresh, ARCHIVE, StandardCopyOption.ATOMIC_MOVE);
    return true;
  }

  /** Returns the jar of the program, which is created if this class is in a folder. */
  private static Path program(Path jar) {
    Path classes =
        Path.of(LoadClasses.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    if (Files.isRegularFile(classes)) {
      return classes;
    }
    String file = LoadClasses.class.getName().replace('.', '/') + ".class";
    int status =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "--create",
                "--file",
                jar.toString(),
                "-C",
                classes.toString(),
                file);
    if (status != 0) {
      throw new IllegalStateException("jar ended with status " + status + " for " + jar);
    }
    return jar;
  }
}
