// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeMain;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A PE of a run. Reports lines of the kinds {@code device} (name, UUID, links, bytes per second of
 * all links), {@code skipped} (method, reason) and {@code result} (method, bytes, microseconds,
 * CTAs, whether the received data is correct).
 */
public final class LabPe {
  private LabPe() {}

  /**
   * Returns what a PE needs to know, for {@link #main}.
   *
   * @param seed of the random content
   * @param sizes bytes of each PE's data, multiples of 16 bytes times the number of PEs
   * @return the arguments after those of {@link PeArguments}
   */
  public static List<String> arguments(long seed, List<Long> sizes) {
    return List.of(
        Long.toString(seed),
        sizes.stream().map(size -> Long.toString(size)).collect(Collectors.joining(",")));
  }

  /** Arguments: those of {@link PeArguments}, then {@link #arguments}. */
  public static void main(String[] arguments) {
    PeMain.run(
        arguments,
        job -> {
          long seed = Long.parseLong(job.more().get(0));
          List<Long> sizes =
              Stream.of(job.more().get(1).split(",", -1)).map(Long::valueOf).toList();
          if (job.backend() == Backend.SHM) {
            new ShmRun(job, seed).run(sizes);
          } else {
            new GpuRun(job, seed).run(sizes);
          }
        });
  }
}
