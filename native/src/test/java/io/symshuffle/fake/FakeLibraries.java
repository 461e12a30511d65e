// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.fake;

import io.symshuffle.process.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Fakes of the CUDA driver, NVSHMEM and NVML that need no GPU, compiled from {@code src/test/c} at
 * their first use. With them the whole layer runs, through the linker and with several PEs, on any
 * machine with a C compiler. The kernels are the real ones, compiled for the CPU.
 */
public final class FakeLibraries {
  private static final Path MODULE = nativeModule();
  private static final Path SOURCES = MODULE.resolve("src/test/c");
  private static final Path KERNELS = MODULE.resolve("src/main/cuda");
  private static final Path KERNEL_TESTS = MODULE.resolve("src/test/cuda");
  private static final Path BUILT = MODULE.resolve("target/fakes");

  private static final List<String> C = List.of("gcc", "-std=c11");

  private FakeLibraries() {}

  /** Finds this module next to the module whose tests run. */
  private static Path nativeModule() {
    Path here = Path.of("").toAbsolutePath();
    for (Path folder = here; folder != null; folder = folder.getParent()) {
      Path module = folder.resolve("native");
      if (Files.isDirectory(module.resolve("src/test/c"))) {
        return module;
      }
    }
    return here;
  }

  /** Returns whether they can be compiled here. */
  public static boolean areAvailable() {
    return onPath("gcc") && onPath("g++") && Files.isDirectory(SOURCES);
  }

  private static boolean onPath(String program) {
    for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
      if (Files.isExecutable(Path.of(folder, program))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Makes a copy of the fake driver with separate state.
   *
   * @param folder the folder of the copy, where it also reads its script
   * @return the library
   */
  public static Path cuda(Path folder) {
    List<String> compiler = new ArrayList<>(List.of("g++", "-std=c++17"));
    for (Path include : List.of(KERNELS, KERNEL_TESTS, SOURCES)) {
      compiler.add("-I" + include);
    }
    List<Path> sources = new ArrayList<>();
    sources.add(SOURCES.resolve("fake_cuda.cpp"));
    sources.add(SOURCES.resolve("fake_kernels.cpp"));
    sources.add(SOURCES.resolve("fake_vmm.cpp"));
    return copy(folder, "libcuda.so.1", compiler, sources);
  }

  /**
   * Makes a copy of the fake NVSHMEM with separate state, next to a bootstrap plugin and a
   * placeholder for the device library.
   *
   * @param folder the folder of the copy, where it also reads its script
   * @return the library
   */
  public static Path nvshmem(Path folder) {
    Path library =
        copy(folder, "libnvshmem_host.so.3", C, List.of(SOURCES.resolve("fake_nvshmem.c")));
    try {
      Files.writeString(folder.resolve("nvshmem_bootstrap_uid.so.3"), "");
      Files.writeString(folder.resolve("libnvshmem_device.a"), "!<arch>\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return library;
  }

  /**
   * Makes a copy of the fake NVML.
   *
   * @param folder the folder of the copy, where it also reads its script
   * @return the library
   */
  public static Path nvml(Path folder) {
    return copy(folder, "libnvidia-ml.so.1", C, List.of(SOURCES.resolve("fake_nvml.c")));
  }

  /**
   * Writes the script of the libraries in a folder.
   *
   * @param folder their folder
   * @param words see {@code fake_script.h}; none for normal behavior
   */
  public static void script(Path folder, String... words) {
    try {
      Path next = Files.writeString(folder.resolve("script.next"), String.join("\n", words) + "\n");
      Files.move(next, folder.resolve("script"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns how the fake driver in a folder was used wrongly; see {@code fake_queue.h}.
   *
   * @param folder its folder
   * @return a sentence that names the operation and what took its memory away; empty if there was
   *     nothing
   */
  public static Optional<String> violation(Path folder) {
    try {
      Path file = folder.resolve("violation");
      return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path copy(Path folder, String name, List<String> compiler, List<Path> sources) {
    try {
      Files.createDirectories(folder);
      return Files.copy(build(name, compiler, sources), folder.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Compiles a library unless it is newer than all sources. One process at a time. */
  private static synchronized Path build(String name, List<String> compiler, List<Path> sources)
      throws IOException {
    Files.createDirectories(BUILT);
    Path library = BUILT.resolve(sources.hashCode() + "-" + name);
    try (FileChannel lock =
            FileChannel.open(
                BUILT.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var held = lock.lock()) {
      if (Files.exists(library) && held.isValid() && lastModified(library) > newestSource()) {
        return library;
      }
      List<String> command = new ArrayList<>(compiler);
      command.addAll(List.of("-O1", "-shared", "-fPIC", "-Wall", "-Werror"));
      command.addAll(List.of("-Wl,-Bsymbolic", "-o", library + ".new"));
      sources.forEach(source -> command.add(source.toString()));
      command.addAll(List.of("-ldl", "-lpthread"));
      ChildProcess.Result compiled = ChildProcess.of(command).run(Duration.ofMinutes(10));
      if (compiled.status() != 0) {
        throw new IllegalStateException(String.join(" ", command) + "\n" + compiled.output());
      }
      return Files.move(Path.of(library + ".new"), library, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static long newestSource() throws IOException {
    long newest = 0;
    for (Path folder : List.of(SOURCES, KERNELS, KERNEL_TESTS)) {
      if (Files.isDirectory(folder)) {
        try (var files = Files.list(folder)) {
          for (Path file : files.toList()) {
            newest = Math.max(newest, lastModified(file));
          }
        }
      }
    }
    return newest;
  }

  private static long lastModified(Path file) throws IOException {
    return Files.getLastModifiedTime(file).toMillis();
  }
}
