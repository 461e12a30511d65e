// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.process.ChildProcess;
import java.time.Duration;
import java.util.List;

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
    String absence, int cudaVersion, String driverVersion, String pinFailure, List<Gpu> gpus) {
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
    return new GpuFacts(reason, 0, "", "", List.of());
  }

  /** Returns what a child process printed; absent, with its ending, if it failed. */
  static GpuFacts parse(ChildProcess.Result outcome) {
    return FactLine.parse(outcome, GpuFacts.class)
        .orElseGet(() -> absent("the query of the CUDA driver " + outcome.ending()));
  }
}
