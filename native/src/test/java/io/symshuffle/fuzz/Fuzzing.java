// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Runs Jazzer on code that reads bytes from other processes, each target in a separate JVM.
 * Findings are exceptions that the target throws, crashes, and inputs that take longer than a
 * minute.
 *
 * <p>A target is a class with {@code public static void fuzzerTestOneInput(byte[])}; a test starts
 * it with valid inputs. Add an input that failed to {@code src/test/resources/fuzz/<name of the
 * target>} of the target's module; later runs try it first.
 */
public final class Fuzzing {
  private static final String JAZZER = "com.code_intelligence.jazzer.Jazzer";
  private static final int SECONDS_PER_INPUT = 60;

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

  /**
   * Starts a run.
   *
   * @param target see above
   * @param seeds valid inputs, which the fuzzer mutates
   * @param inputs number of inputs to try, the same ones in each run; 0 for new ones until the time
   *     ends
   * @param time maximum time
   * @return the running fuzzer
   */
  public static Fuzzing start(Class<?> target, List<byte[]> seeds, int inputs, Duration time)
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
    if (inputs > 0) {
      command.addAll(List.of("-seed=1", "-runs=" + inputs));
    }
    Path regressions = Path.of("src", "test", "resources", "fuzz", name);
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
