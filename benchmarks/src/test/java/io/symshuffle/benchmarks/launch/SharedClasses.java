// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * An archive of Spark's classes (class data sharing), which halves the CPU time of a short Spark
 * process. All JVMs of tests can use it, in all modules: those whose class path starts with {@link
 * #classPath()}. Others ignore it.
 */
public final class SharedClasses {
  /** It takes some 20 s, and much longer on a busy machine. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** What differs between the class paths of modules. */
  private static final List<String> NOT_SHARED = List.of("symshuffle-", "picocli-", "archunit-");

  private static Path jars;
  private static List<String> options;

  private SharedClasses() {}

  /**
   * Returns a folder with links to Spark's jars and the other libraries of this process. Modules
   * with the same libraries have the same folder.
   */
  public static synchronized Path jars() {
    if (jars == null) {
      List<Path> libraries =
          libraries(name -> NOT_SHARED.stream().noneMatch(name::startsWith))
              .sorted(Comparator.comparing(Path::toString))
              .toList();
      try (Lock lock = Lock.take()) {
        Path folder = lock.folder.resolve(Integer.toHexString(libraries.hashCode()));
        if (!Files.exists(folder)) {
          Path fresh = Files.createTempDirectory(lock.folder, "jars");
          link(libraries, fresh);
          Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
        }
        jars = folder;
      } catch (IOException e) {
        throw new UncheckedIOException("linking jars", e);
      }
    }
    return jars;
  }

  /** Returns the jars on the class path of this process whose names match, in their order. */
  static Stream<Path> libraries(Predicate<String> names) {
    return Arrays.stream(System.getProperty("java.class.path").split(":"))
        .filter(entry -> entry.endsWith(".jar"))
        .map(Path::of)
        .filter(jar -> names.test(jar.getFileName().toString()));
  }

  /** Creates links in an existing folder. */
  static void link(List<Path> libraries, Path folder) throws IOException {
    for (Path jar : libraries) {
      Files.createSymbolicLink(folder.resolve(jar.getFileName()), jar);
    }
  }

  /** Returns the start of the class path of a JVM that uses the archive. */
  public static Path classPath() {
    return jars().resolve("*");
  }

  /**
   * Returns options of a JVM that uses the archive; none if this Java runtime cannot create one.
   * The first call of all processes creates the archive.
   */
  public static synchronized List<String> options() {
    if (options == null) {
      // One archive per version of Java, next to the jars.
      Path archive =
          jars()
              .resolveSibling(
                  "%s-java-%d.jsa".formatted(jars().getFileName(), Runtime.version().feature()));
      try (Lock lock = Lock.take()) {
        boolean exists = Files.exists(archive) || create(archive, lock.folder);
        options = exists ? optionsFor(archive) : List.of();
      } catch (IOException e) {
        throw new UncheckedIOException("creating " + archive, e);
      }
    }
    return options;
  }

  private static List<String> optionsFor(Path archive) {
    return List.of(
        "-XX:SharedArchiveFile=" + archive,
        "-Xshare:auto",
        "-Xlog:cds*=off",
        // Otherwise each JVM moves the whole archive to a random address.
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:ArchiveRelocationMode=0");
  }

  /** The folder of all archives, which one process at a time may change. */
  private record Lock(Path folder, FileChannel channel) implements AutoCloseable {
    static Lock take() throws IOException {
      Path tree = Path.of("..", "benchmarks").toAbsolutePath().normalize();
      Path module = Files.isDirectory(tree) ? tree : Path.of("").toAbsolutePath();
      Path folder =
          Files.createDirectories(
              module
                  .resolve(System.getProperty("symshuffle.build", "target"))
                  .resolve("shared-classes"));
      FileChannel channel =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      channel.lock();
      return new Lock(folder, channel);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /** Returns false if this is a runtime image without the base archive. */
  private static boolean create(Path archive, Path parent) throws IOException {
    Path folder = Files.createTempDirectory(parent, "create");
    Path fresh = folder.resolve("fresh.jsa");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    Collections.addAll(command, JavaModuleOptions.defaultModuleOptionArray());
    Collections.addAll(command, "-XX:ArchiveClassesAtExit=" + fresh, "-Xlog:cds*=off");
    Collections.addAll(command, "-cp", classPath().toString());
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
    boolean created = Files.exists(fresh);
    if (created) {
      Files.move(fresh, archive, StandardCopyOption.ATOMIC_MOVE);
    }
    Folders.delete(folder);
    return created;
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
