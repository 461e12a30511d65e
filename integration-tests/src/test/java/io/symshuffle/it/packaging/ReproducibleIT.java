// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.process.Jars;
import io.symshuffle.plugin.config.SparkVersion;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packaged jar is reproducible; {@link PackageIT} checks in every build what most often breaks
 * that.
 */
class ReproducibleIT {
  private static final Duration LIMIT = Duration.ofMinutes(20);

  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();

  /** The modules in the jar. */
  private static final List<String> MODULES = List.of("native", "shuffle", "plugin");

  @TempDir private Path folder;

  /**
   * The kernels are copied: nvcc takes minutes and writes the name of the folder into them. Maven
   * works offline with the files of the first build.
   */
  @Test
  @Tag("long")
  @Timeout(value = 25, unit = TimeUnit.MINUTES)
  void secondBuildInAnotherFolderGivesTheSameBytes() throws IOException {
    copySources(folder.resolve("tree"));
    Path maven = Path.of(System.getProperty("symshuffle.maven.home"), "bin", "mvn");
    run(
        "build",
        maven.toString(),
        "--batch-mode",
        "--offline",
        "-Pquick,spark-" + SparkVersion.ofThisJar().text(),
        "--quiet",
        "--file",
        folder.resolve("tree/pom.xml").toString(),
        "-Dmaven.repo.local=" + System.getProperty("symshuffle.maven.repository"),
        "-pl",
        "plugin",
        "-am",
        "package");
    Path first = Jars.plugin();
    Path second = folder.resolve("tree").resolve(TREE.relativize(first));
    assertSameEntries(first, second);
    assertEquals(-1, Files.mismatch(first, second), "first different byte");
  }

  @Test
  @Tag("long")
  @Timeout(value = 25, unit = TimeUnit.MINUTES)
  void twoCleanBuildsGiveTheSameBytes() {
    String log = run("check-reproducible", TREE.resolve(".ci/check-reproducible").toString());
    assertTrue(log.contains("two builds, the same bytes"), log);
  }

  private String run(String name, String... command) {
    ChildProcess.Result result =
        ChildProcess.of(command).name(name).withoutEnvironment("SPARK_").run(LIMIT);
    assertEquals(0, result.status(), result.output());
    return result.output();
  }

  private static void copySources(Path to) throws IOException {
    for (String root : List.of("pom.xml", "LICENSE", "NOTICE", ".mvn")) {
      copy(root, to);
    }
    for (String module : List.of("benchmarks", "integration-tests")) {
      copy(module + "/pom.xml", to);
    }
    copy("native/build-kernels.sh", to);
    copy("native/target/classes/io/symshuffle/kernel", to);
    copy("native/src/test/cuda", to);
    copy("native/target/test-classes/io/symshuffle/kernel/slow", to);
    for (String module : MODULES) {
      copy(module + "/pom.xml", to);
      copy(module + "/src/main", to);
      for (String version : List.of("spark-4.0", "spark-4.1", "spark-4.2")) {
        if (Files.isDirectory(TREE.resolve(module).resolve("src").resolve(version))) {
          copy(module + "/src/" + version, to);
        }
      }
    }
  }

  /** Copies a file, or a folder without class files. */
  private static void copy(String path, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(TREE.resolve(path))) {
      for (Path file : files.filter(f -> !f.toString().endsWith(".class")).toList()) {
        Path target = to.resolve(TREE.relativize(file));
        Files.createDirectories(target.getParent());
        if (!Files.isDirectory(file)) {
          Files.copy(file, target);
        }
      }
    }
  }

  /** Names the entry that differs, which a comparison of whole files would not. */
  private static void assertSameEntries(Path first, Path second) throws IOException {
    try (JarFile one = new JarFile(first.toFile());
        JarFile two = new JarFile(second.toFile())) {
      assertEquals(names(one), names(two));
      for (ZipEntry entry : Collections.list(one.entries())) {
        assertArrayEquals(bytes(one, entry), bytes(two, entry), entry.getName());
      }
    }
  }

  private static List<String> names(JarFile jar) {
    return jar.stream().map(ZipEntry::getName).toList();
  }

  private static byte[] bytes(JarFile jar, ZipEntry entry) throws IOException {
    return jar.getInputStream(jar.getEntry(entry.getName())).readAllBytes();
  }
}
