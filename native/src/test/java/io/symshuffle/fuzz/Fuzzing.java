// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Feeds damaged inputs to code that reads bytes from other processes: in this JVM, the same inputs
 * each time ({@link #replay}), or found by Jazzer, which follows the code's branches, in a separate
 * JVM ({@link #start}). Findings are exceptions that the target throws, crashes, and inputs that
 * take longer than a minute.
 *
 * <p>A target is a class with {@code public static void fuzzerTestOneInput(byte[])}; a test starts
 * it with valid inputs. Add an input that failed to {@code src/test/resources/fuzz/<name of the
 * target>} of the target's module; later runs try it first.
 */
public final class Fuzzing {
  private static final String JAZZER = "com.code_intelligence.jazzer.Jazzer";
  private static final int SECONDS_PER_INPUT = 60;

  /** For all inputs together, which take a second. */
  private static final int SECONDS_PER_REPLAY = 600;

  /**
   * The libraries that targets use. Jazzer reads every jar on its class path when it starts, which
   * would take longer for all of Spark than the inputs.
   */
  private static final Pattern LIBRARIES =
      Pattern.compile(
          "(symshuffle|jazzer|slf4j|log4j|kryo|lz4|zstd|scala-library|hadoop-client-api"
              + "|spark-(core|common|network|unsafe|variant|catalyst|sql-api)).*\\.jar");

  private static final Duration START = Duration.ofMinutes(5);

  private final Class<?> target;
  private final ChildProcess process;
  private final Duration time;

  private Fuzzing(Class<?> target, ChildProcess process, Duration time) {
    this.target = target;
    this.process = process;
    this.time = time;
  }

  /** A target's method. */
  @FunctionalInterface
  public interface Target {
    /** Reads an input; throws anything if the code misbehaves. */
    void fuzzerTestOneInput(byte[] input) throws Exception;
  }

  /**
   * Feeds valid inputs, those that failed once, and damaged ones to a target in this JVM, in
   * another thread. Fails at the first finding, and stores its input.
   *
   * @param type the target's class
   * @param target its method
   * @param seeds valid inputs
   * @param inputs number of damaged inputs, the same ones in each run
   */
  public static void replay(Class<?> type, Target target, List<byte[]> seeds, int inputs)
      throws IOException, InterruptedException {
    String name = type.getSimpleName();
    List<byte[]> first = new ArrayList<>(seeds);
    Path regressions = regressions(name);
    if (Files.isDirectory(regressions)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(regressions)) {
        for (Path file : files) {
          first.add(Files.readAllBytes(file));
        }
      }
    }
    Mutations mutations = new Mutations(first, 1);
    AtomicReference<byte[]> current = new AtomicReference<>();
    FutureTask<Void> run =
        new FutureTask<>(
            () -> {
              for (int n = 0; n < first.size() + inputs; n++) {
                current.set(n < first.size() ? first.get(n) : mutations.next());
                target.fuzzerTestOneInput(current.get().clone());
              }
              return null;
            });
    // An endless loop cannot be interrupted.
    Thread.ofPlatform().daemon().name("fuzzer of " + name).start(run);
    try {
      run.get(SECONDS_PER_REPLAY, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(finding(name, "fails with", current.get()), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError(finding(name, "does not end with", current.get()), e);
    }
  }

  private static String finding(String name, String what, byte[] input) throws IOException {
    Path folder = Files.createDirectories(Path.of("target", "fuzz", name));
    Path file = Files.write(folder.resolve("input"), input).toAbsolutePath();
    return "%s %s the input %s; add it to src/test/resources/fuzz/%s"
        .formatted(name, what, file, name);
  }

  private static Path regressions(String name) {
    return Path.of("src", "test", "resources", "fuzz", name);
  }

  /**
   * Starts a run of Jazzer.
   *
   * @param target see above
   * @param seeds valid inputs, which the fuzzer mutates
   * @param time how long it tries new inputs
   * @return the running fuzzer
   */
  public static Fuzzing start(Class<?> target, List<byte[]> seeds, Duration time)
      throws IOException {
    String name = target.getSimpleName();
    Path folder = Files.createDirectories(Path.of("target", "fuzz", name)).toAbsolutePath();
    Path corpus = Files.createDirectories(folder.resolve("corpus"));
    Path valid = Files.createDirectories(folder.resolve("seeds"));
    for (int seed = 0; seed < seeds.size(); seed++) {
      Files.write(valid.resolve("seed-" + seed), seeds.get(seed));
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:+EnableDynamicAgentLoading",
            "--enable-native-access=ALL-UNNAMED",
            // Java 21 does not know the next option.
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            classPath(),
            JAZZER,
            "--target_class=" + target.getName(),
            "--instrumentation_includes=io.symshuffle.**",
            "--custom_hook_includes=io.symshuffle.**",
            "--reproducer_path=" + folder,
            "-max_total_time=" + time.toSeconds(),
            "-timeout=" + SECONDS_PER_INPUT,
            "-artifact_prefix=" + folder + "/",
            corpus.toString(),
            valid.toString()));
    Path regressions = regressions(name);
    if (Files.isDirectory(regressions)) {
      command.add(regressions.toString());
    }
    ChildProcess process =
        ChildProcess.of(command)
            .name("fuzzer of " + name)
            .folder(Path.of("").toAbsolutePath())
            .log(folder.resolve("log"))
            .start();
    return new Fuzzing(target, process, time);
  }

  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(
            path ->
                Files.isDirectory(Path.of(path))
                    || LIBRARIES.matcher(Path.of(path).getFileName().toString()).matches())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Waits for the end of the run; fails if it found anything. */
  public void assertNothingFound() {
    try (process) {
      int status = process.awaitEnd(START.plus(time.multipliedBy(2)));
      String log = process.output();
      String end = log.substring(Math.max(0, log.length() - 4_000));
      assertEquals(
          0,
          status,
          () ->
              "%s found an input that fails; add it to src/test/resources/fuzz/%s: %s"
                  .formatted(target, target.getSimpleName(), end));
      assertTrue(log.contains("INITED"), () -> "no input was tried: " + end);
    }
  }
}
