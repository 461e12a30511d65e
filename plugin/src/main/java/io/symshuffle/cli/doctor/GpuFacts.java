// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the CUDA driver and NVML say.
 *
 * @param absence why CUDA cannot be used, a sentence; empty when it can
 * @param cudaVersion the newest CUDA that the driver supports, 13000 for 13.0; 0 when unknown
 * @param driverVersion for example {@code 580.95.05}; empty when unknown
 * @param gpus those that this process sees
 */
public record GpuFacts(
    Optional<String> absence, int cudaVersion, String driverVersion, List<Gpu> gpus) {
  /** Copies. */
  public GpuFacts {
    gpus = List.copyOf(gpus);
  }

  /**
   * One GPU.
   *
   * @param ordinal its CUDA number
   * @param name for example {@code NVIDIA H200}
   * @param uuid as nvidia-smi writes it
   * @param capability compute capability, 90 for 9.0
   * @param freeBytes memory that is free
   * @param totalBytes its memory
   * @param links active NVLinks
   * @param linkBytesPerSecond what all links together carry one way; 0 when unknown
   * @param reachable ordinals of the GPUs whose memory its kernels can load and store
   * @param overNvlink ordinals of those reached over NVLink
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
    /** Copies. */
    public Gpu {
      reachable = List.copyOf(reachable);
      overNvlink = List.copyOf(overNvlink);
    }

    /** {@return whether it is a slice of a GPU in MIG mode; CUDA says so in its name alone} */
    boolean isMigSlice() {
      return name.contains(" MIG ");
    }

    @Override
    public String toString() {
      return "GPU " + ordinal + " (" + name + ")";
    }
  }

  /**
   * Asks driver and NVML of this machine, in a process of its own.
   *
   * @param limit how long that may take
   * @return what they say
   */
  public static GpuFacts ask(Duration limit) {
    return parse(new ChildProcess(limit).runJava(Probe.class.getName(), List.of(Probe.GPUS)));
  }

  static GpuFacts absent(String reason) {
    return new GpuFacts(Optional.of(reason), 0, "", List.of());
  }

  /** {@return the facts as lines for {@link #parse}} */
  List<String> toLines() {
    List<String> lines = new ArrayList<>();
    lines.add(FactLine.of("cuda", absence.orElse(""), cudaVersion, driverVersion));
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

  /** {@return what a child process said; absent with its ending when it did not get so far} */
  static GpuFacts parse(ChildOutcome outcome) {
    List<Gpu> gpus = new ArrayList<>();
    Optional<String[]> head = Optional.empty();
    for (String line : outcome.output()) {
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
      return absent("asking the CUDA driver " + outcome.ending());
    }
    String[] f = head.get();
    return new GpuFacts(
        Optional.of(f[1]).filter(text -> !text.isEmpty()), Integer.parseInt(f[2]), f[3], gpus);
  }
}
