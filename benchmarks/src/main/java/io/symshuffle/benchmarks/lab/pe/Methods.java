// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import java.util.ArrayList;
import java.util.List;

/** Chooses the implementations that a PE can run, and reports those that it cannot. */
final class Methods {
  private final PeArguments job;
  private final GpuMemory memory;
  private final Buffers buffers;
  private final List<Exchange> exchanges = new ArrayList<>();

  Methods(PeArguments job, GpuMemory memory) {
    this.job = job;
    this.memory = memory;
    this.buffers = memory.buffers();
  }

  List<Exchange> all() {
    KernelImage image = KernelImage.find();
    if (image.absence().isPresent()) {
      PeLine.print("skipped", "pull kernel", image.absence().get());
    } else {
      exchanges.add(new KernelExchange(Kernels.load(memory.context(), image, job.pe()), buffers));
    }
    exchanges.add(new CopyEngineExchange(true, memory.context(), buffers));
    if (buffers.canPush()) {
      exchanges.add(new CopyEngineExchange(false, memory.context(), buffers));
    }
    memory
        .nvshmem()
        .ifPresent(
            extras -> {
              exchanges.add(LibraryExchange.nvshmemPut(extras, buffers));
              exchanges.add(LibraryExchange.nvshmemAllToAll(extras, buffers));
            });
    return List.copyOf(exchanges);
  }
}
