// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.benchmarks.nvshmem.NvshmemExtras;
import io.symshuffle.benchmarks.nvshmem.Team;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;

/** NVSHMEM's own all-to-all on a stream. */
final class NvshmemCollectiveExchange implements Exchange {
  private final NvshmemExtras extras;
  private final Buffers buffers;
  private final Team world;
  private long bytes;

  NvshmemCollectiveExchange(NvshmemExtras extras, Buffers buffers) {
    this.extras = extras;
    this.buffers = buffers;
    this.world =
        extras.call("the team of all", PeGpu.LIMIT, calls -> calls.team(Team.Predefined.WORLD));
  }

  @Override
  public String name() {
    return "NVSHMEM all-to-all";
  }

  @Override
  public void prepare(long bytesInAll) {
    bytes = bytesInAll;
  }

  @Override
  public void queue(CudaStream stream, int times) {
    DeviceRange to = buffers.receive().peer(buffers.pe()).orElseThrow().slice(0, bytes);
    DeviceRange from = buffers.send().peer(buffers.pe()).orElseThrow().slice(0, bytes);
    extras.run(
        "all-to-alls",
        PeGpu.LIMIT,
        calls -> {
          for (int i = 0; i < times; i++) {
            calls.allToAll(world, to, from, stream);
          }
        });
  }
}
