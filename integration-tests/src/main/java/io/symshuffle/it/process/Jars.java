// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import io.symshuffle.benchmarks.launch.SharedClasses;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The test's class path, divided into Spark's jars, our jar and classes of the tests. */
public final class Jars {
  private static final String OWN_PREFIX = "symshuffle-";
  private static final String HARNESS_PREFIX = "symshuffle-integration-tests";
  private static final String BENCHMARKS_PREFIX = "symshuffle-benchmarks";
  private static final String SHUFFLE_PREFIX = "symshuffle-shuffle";
  private static final String FAKE_ENGINE = "io/symshuffle/shuffle/table/FakeEngine.class";

  private Jars() {}

  /** Returns the jars of Spark and all other libraries. */
  public static List<Path> spark() {
    return classPath()
        .filter(Files::isRegularFile)
        .filter(path -> !path.getFileName().toString().startsWith(OWN_PREFIX))
        .toList();
  }

  /** Returns {@link #spark()} in another order, for JVMs with {@link SharedClasses#options}. */
  public static List<Path> sharedFirst() {
    List<Path> paths = new ArrayList<>();
    paths.add(SharedClasses.classPath());
    spark().stream()
        .filter(jar -> !Files.exists(SharedClasses.jars().resolve(jar.getFileName())))
        .forEach(paths::add);
    return paths;
  }

  /**
   * Returns the classes of the harness, of the tests, of the benchmarks and of the fake engine:
   * what closures, injected faults and tables need on executors.
   */
  public static List<Path> harness() {
    return classPath()
        .filter(
            path ->
                Files.isDirectory(path)
                    ? Files.isDirectory(path.resolve("io/symshuffle/it"))
                        || Files.isDirectory(path.resolve("io/symshuffle/benchmarks"))
                        || Files.exists(path.resolve(FAKE_ENGINE))
                    : path.getFileName().toString().startsWith(HARNESS_PREFIX)
                        || path.getFileName().toString().startsWith(BENCHMARKS_PREFIX)
                        || path.getFileName().toString().startsWith(SHUFFLE_PREFIX))
        .toList();
  }

  /**
   * Returns the packaged jar, which system property {@code symshuffle.jar} names.
   *
   * @return an absolute path
   * @throws IllegalStateException if it does not exist
   */
  public static Path plugin() {
    String property = System.getProperty("symshuffle.jar");
    if (property == null || !Files.isRegularFile(Path.of(property))) {
      throw new IllegalStateException(
          "system property symshuffle.jar is '%s', which is not a file; build the jar with `mvn package -pl plugin -am`"
              .formatted(property));
    }
    return Path.of(property).toAbsolutePath().normalize();
  }

  /**
   * Returns the jar of a class; created if the class is in a folder.
   *
   * @param type any class of the jar
   * @param folder for a created jar
   */
  public static Path holding(Class<?> type, Path folder) {
    try {
      Path source = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      return Files.isRegularFile(source) ? source : pack(source, folder.resolve("classes.jar"));
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("location of class %s".formatted(type), e);
    }
  }

  /**
   * Returns paths joined as a class path.
   *
   * @param paths in the order of the class path
   */
  public static String join(List<Path> paths) {
    return paths.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  private static Stream<Path> classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().normalize());
  }

  private static Path pack(Path classes, Path jar) {
    try (Stream<Path> files = Files.walk(classes)) {
      Files.createDirectories(jar.getParent());
      try (OutputStream file = Files.newOutputStream(jar);
          JarOutputStream out = new JarOutputStream(file)) {
        for (Path each : files.filter(Files::isRegularFile).toList()) {
          out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
          Files.copy(each, out);
          out.closeEntry();
        }
      }
      return jar;
    } catch (IOException e) {
      throw new UncheckedIOException("packing %s into %s".formatted(classes, jar), e);
    }
  }
}
