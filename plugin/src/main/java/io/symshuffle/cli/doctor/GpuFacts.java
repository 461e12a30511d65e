// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.process.ChildProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the CUDA driver and NVML report.
 *
 * @param absence why CUDA cannot be used, a sentence; empty if it can
 * @param cudaVersion the newest CUDA that the driver supports, 13000 for 13.0; 0 if unknown
 * @param driverVersion for example {@code 580.95.05}; empty if unknown
 * @param pinFailure why CUDA cannot pin host memory, a sentence without its final period; empty if
 *     it can, or if nothing was tried
 * @param gpus the GPUs that this process sees
 */
public record GpuFacts(
    Optional<String> absence,
    int cudaVersion,
    String driverVersion,
    Optional<String> pinFailure,
    List<Gpu> gpus) {
  /**
   * One GPU.
   *
   * @param ordinal its CUDA number
   * @param name for example {@code NVIDIA H200}
   * @param uuid as nvidia-smi prints it
   * @param capability compute capability, 90 for 9.0
   * @param linkBytesPerSecond bandwidth of all links together in one direction; 0 if unknown
   * @param reachable ordinals of the GPUs whose memory its kernels can access
   * @param overNvlink ordinals of those that it accesses over NVLink
   */
  public record Gpu(
      int ordinal,
      String name,
      String uuid,
      int capability,
      long freeBytes,
      long totalBytes,
      int links,
      long linkBytesPerSecond,
      List<Integer> reachable,
      List<Integer> overNvlink) {
    /** Returns whether it is a slice of a GPU in MIG mode, which CUDA shows only in its name. */
    boolean isMigSlice() {
      return name.contains(" MIG ");
    }

    @Override
    public String toString() {
      return "GPU " + ordinal + " (" + name + ")";
    }
  }

  /**
   * Queries the driver and NVML of this machine in a child process.
   *
   * @param limit how long that may take
   */
  public static GpuFacts query(Duration limit) {
    return parse(LocalHostProbe.runJava(ProbeMain.class, List.of(ProbeMain.GPUS), limit));
  }

  static GpuFacts absent(String reason) {
    return new GpuFacts(Optional.of(reason), 0, "", Optional.empty(), List.of());
  }

  /** Returns the facts as lines for {@link #parse}. */
  List<String> toLines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        FactLine.of("cuda", absence.orElse(""), cudaVersion, driverVersion, pinFailure.orElse("")));
    for (Gpu g : gpus) {
      lines.add(
          FactLine.of(
              "gpu",
              g.ordinal,
              g.name,
              g.uuid,
              g.capability,
              g.freeBytes,
              g.totalBytes,
              g.links,
              g.linkBytesPerSecond,
              FactLine.list(g.reachable),
              FactLine.list(g.overNvlink)));
    }
    return lines;
  }

  /** Returns what a child process printed; absent, with its ending, if it failed. */
  static GpuFacts parse(ChildProcess.Result outcome) {
    List<Gpu> gpus = new ArrayList<>();
    Optional<String[]> head = Optional.empty();
    for (String line : outcome.lines()) {
      Optional<String[]> fields = FactLine.parse(line);
      if (fields.isEmpty()) {
        continue;
      }
      String[] f = fields.get();
      if (f[0].equals("cuda")) {
        head = fields;
      } else if (f[0].equals("gpu")) {
        gpus.add(
            new Gpu(
                Integer.parseInt(f[1]),
                f[2],
                f[3],
                Integer.parseInt(f[4]),
                Long.parseLong(f[5]),
                Long.parseLong(f[6]),
                Integer.parseInt(f[7]),
                Long.parseLong(f[8]),
                FactLine.numbers(f[9]),
                FactLine.numbers(f[10])));
      }
    }
    if (head.isEmpty() || !outcome.passed()) {
      return absent("the query of the CUDA driver " + outcome.ending());
    }
    String[] f = head.get();
    return new GpuFacts(sentence(f[1]), Integer.parseInt(f[2]), f[3], sentence(f[4]), gpus);
  }

  private static Optional<String> sentence(String field) {
    return Optional.of(field).filter(text -> !text.isEmpty());
  }
}
