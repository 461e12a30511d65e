// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeMain;
import java.util.List;
import java.util.stream.Stream;

/**
 * A PE of the benchmark. Reports lines of the kinds {@code device} (name, UUID, links, bytes per
 * second of all links), {@code skipped} (method, reason) and {@code result} (method, bytes,
 * microseconds, CTAs, whether the received data is correct).
 */
final class AllToAllPe {
  private AllToAllPe() {}

  /** Arguments: those of {@link PeArguments}, then the seed and comma-separated sizes in bytes. */
  public static void main(String[] arguments) {
    PeMain.run(
        arguments,
        job -> {
          long seed = Long.parseLong(job.more().get(0));
          List<Long> sizes =
              Stream.of(job.more().get(1).split(",", -1)).map(Long::valueOf).toList();
          switch (job.backend()) {
            case SHM -> new ShmExchanges(job, seed).run(sizes);
            case NVSHMEM -> new GpuExchanges(job, seed).run(sizes);
            case CUDA -> new CudaExchanges(job, seed).run(sizes);
          }
        });
  }
}
