// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.cli.alltoall;

import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.Team;

/** NVSHMEM's own all-to-all on a stream. */
final class NvshmemCollectiveExchange implements Exchange {
  private final NvshmemRuntime runtime;
  private final Buffers buffers;
  private final Team world;
  private long bytes;

  NvshmemCollectiveExchange(NvshmemRuntime runtime, Buffers buffers) {
    this.runtime = runtime;
    this.buffers = buffers;
    this.world =
        runtime.call("the team of all", PeGpu.LIMIT, calls -> calls.team(Team.Predefined.WORLD));
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
    DeviceRange to = buffers.receive().local().slice(0, bytes);
    DeviceRange from = buffers.send().local().slice(0, bytes);
    runtime.run(
        "all-to-alls",
        PeGpu.LIMIT,
        calls -> {
          for (int i = 0; i < times; i++) {
            calls.allToAll(world, to, from, stream);
          }
        });
  }
}
