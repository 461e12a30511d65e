// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Looks for UCX, without which the executors of RAPIDS' UCX shuffle manager end one by one. */
final class Ucx {
  private static final String LIBRARY = "libucp.so.0";

  /** UCX looks for its transports in this folder next to its libraries. */
  private static final String CUDA_TRANSPORT = "ucx/libuct_cuda.so.0";

  private Ucx() {}

  /** Returns the folders of the dynamic loader: of LD_LIBRARY_PATH, then those of the system. */
  static List<Path> folders() {
    Stream<String> loader =
        Stream.of(System.getProperty("java.library.path").split(File.pathSeparator));
    return Stream.concat(loader, Stream.of("/usr/lib/x86_64-linux-gnu"))
        .filter(folder -> !folder.isBlank())
        .map(Path::of)
        .distinct()
        .toList();
  }

  /**
   * Checks that UCX is there. It is not loaded, because it would replace the signal handlers of the
   * JVM.
   *
   * @param folders where to look for it
   * @throws CliException if it is in none of them, or has no CUDA transport
   */
  static void check(List<Path> folders) {
    Path folder =
        folders.stream()
            .filter(each -> Files.exists(each.resolve(LIBRARY)))
            .findFirst()
            .orElseThrow(() -> absent(LIBRARY + " is in none of " + text(folders)));
    if (!Files.exists(folder.resolve(CUDA_TRANSPORT))) {
      throw absent(folder.resolve(CUDA_TRANSPORT) + " does not exist");
    }
  }

  private static String text(List<Path> folders) {
    return folders.stream().map(Path::toString).collect(Collectors.joining(", "));
  }

  private static CliException absent(String reason) {
    return new CliException(
        "rapids-ucx needs UCX with CUDA, but %s. Omit rapids-ucx, or add the folder of such a UCX to LD_LIBRARY_PATH."
            .formatted(reason));
  }
}
