// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.process.ChildProcess;
import io.symshuffle.process.ChildProcess.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Compiles the kernels' logic for the host with g++ and its address and undefined behavior
 * sanitizers. Rebuilds only when a source has changed.
 */
final class HostTests {
  private static final HostTests KERNELS = new HostTests();
  private static final Path FOLDER = Path.of("target", "kernel-host-tests");
  private static final Path TESTS = Path.of("src", "test", "cuda");
  private static final List<Path> INCLUDES = List.of(Path.of("src", "main", "cuda"), TESTS);

  private static final List<String> COMPILER =
      List.of(
          "g++",
          "-std=c++20",
          "-O1",
          "-g1",
          "-Wall",
          "-Wextra",
          "-Werror",
          "-fsanitize=address,undefined",
          "-fno-sanitize-recover=all");

  private Path program;

  private HostTests() {}

  /** Returns the program of this module. */
  static HostTests ofKernels() {
    return KERNELS;
  }

  /** Returns the program; skips the calling test if g++ is missing. */
  private synchronized Path program() throws IOException, InterruptedException {
    Assumptions.assumeTrue(
        isInstalled("g++"), "g++ is not installed: the kernels' logic is not tested on the host");
    if (program == null) {
      program = build();
    }
    return program;
  }

  /** Returns whether a command can be started. */
  static boolean isInstalled(String command) {
    try {
      return run(60, "", List.of(command, "--version")).status() == 0;
    } catch (UncheckedIOException ignored) {
      return false;
    }
  }

  /**
   * Runs the program.
   *
   * @param input standard input
   * @param arguments its arguments
   * @return its status and output
   */
  public Result run(String input, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program().toAbsolutePath().toString()));
    command.addAll(List.of(arguments));
    return run(300, input, command);
  }

  /** Runs a command with a timeout. */
  static Result run(long seconds, String input, List<String> command) {
    return ChildProcess.of(command).input(input).run(Duration.ofSeconds(seconds));
  }

  private Path build() throws IOException, InterruptedException {
    Files.createDirectories(FOLDER);
    Path built = FOLDER.resolve("host_tests");
    Path stamp = FOLDER.resolve("hash");
    String hash = hash();
    if (Files.exists(built) && Files.exists(stamp) && Files.readString(stamp).equals(hash)) {
      return built;
    }
    List<Path> objects = new ArrayList<>();
    List<Thread> compilations = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (Path source : list(TESTS, ".cpp")) {
      Path object = FOLDER.resolve(source.getFileName() + ".o");
      objects.add(object);
      compilations.add(Thread.ofPlatform().unstarted(() -> compile(source, object, failures)));
    }
    // Two at a time: each needs a core and half a gigabyte.
    for (int i = 0; i < compilations.size(); i++) {
      compilations.get(i).start();
      if (i > 0) {
        compilations.get(i - 1).join();
      }
    }
    compilations.getLast().join();
    if (failures.isEmpty()) {
      List<String> link = new ArrayList<>(COMPILER);
      objects.forEach(object -> link.add(object.toString()));
      link.addAll(List.of("-o", built.toString()));
      Result linked = run(300, "", link);
      if (linked.status() != 0) {
        failures.add(linked.output());
      }
    }
    if (!failures.isEmpty()) {
      throw new AssertionError("g++ failed:\n" + String.join("\n", failures));
    }
    Files.writeString(stamp, hash);
    return built;
  }

  private void compile(Path source, Path object, List<String> failures) {
    List<String> command = new ArrayList<>(COMPILER);
    INCLUDES.forEach(include -> command.addAll(List.of("-I", include.toString())));
    command.addAll(List.of("-c", source.toString(), "-o", object.toString()));
    String failure;
    try {
      Result result = run(300, "", command);
      failure = result.status() == 0 ? null : result.output();
    } catch (UncheckedIOException | IllegalStateException e) {
      failure = e.toString();
    }
    if (failure != null) {
      synchronized (failures) {
        failures.add(source + ":\n" + failure);
      }
    }
  }

  private String hash() throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    digest.update(String.join(" ", COMPILER).getBytes(StandardCharsets.UTF_8));
    for (Path each : INCLUDES) {
      for (String end : List.of(".h", ".cu", ".cpp")) {
        for (Path file : list(each, end)) {
          digest.update(file.toString().getBytes(StandardCharsets.UTF_8));
          digest.update(Files.readAllBytes(file));
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static List<Path> list(Path folder, String end) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
