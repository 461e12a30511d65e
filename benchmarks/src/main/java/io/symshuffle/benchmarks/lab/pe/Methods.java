// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.benchmarks.lab.kernel.BarrierLaunch;
import io.symshuffle.benchmarks.lab.kernel.LabKernels;
import io.symshuffle.benchmarks.lab.kernel.Reductions;
import io.symshuffle.benchmarks.lab.nccl.NcclLibrary;
import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

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

  List<Exchange> of(Operation operation) throws Exception {
    switch (operation) {
      case ALL_TO_ALL -> addAllToAlls();
      case ALL_REDUCE -> addSums();
    }
    addNccl(operation);
    return List.copyOf(exchanges);
  }

  private void addAllToAlls() {
    List<Boolean> directions = buffers.canPush() ? List.of(true, false) : List.of(true);
    KernelImage image = KernelImage.find();
    if (image.absence().isPresent()) {
      PeLine.print("skipped", "pull, push", image.absence().get());
    } else {
      Kernels kernels = Kernels.load(memory.context(), image, job.pe());
      LabKernels labKernels = loadKernels();
      for (boolean pull : directions) {
        exchanges.add(new KernelExchange(pull, kernels, labKernels, buffers));
      }
    }
    for (boolean pull : directions) {
      exchanges.add(new CopyEngineExchange(pull, memory.context(), buffers));
    }
    memory
        .nvshmem()
        .ifPresent(
            extras -> {
              exchanges.add(LibraryExchange.nvshmemPut(extras, buffers));
              exchanges.add(LibraryExchange.nvshmemAllToAll(extras, buffers));
            });
  }

  private void addSums() {
    KernelImage image = LabKernels.image();
    if (image.absence().isPresent()) {
      PeLine.print("skipped", SumExchange.NAME, image.absence().get());
      return;
    }
    LabKernels labKernels = loadKernels();
    Reductions reductions = labKernels.reductions();
    BarrierLaunch barrier =
        reductions.barrier(
            IntStream.range(0, job.peCount()).mapToObj(buffers.counters()::mapped).toList(),
            PeGpu.LIMIT);
    exchanges.add(new SumExchange(reductions, buffers, barrier));
  }

  private LabKernels loadKernels() {
    return LabKernels.load(memory.context(), LabKernels.image(), job.pe());
  }

  private void addNccl(Operation operation) throws Exception {
    NcclLibrary nccl = NcclLibrary.system();
    if (nccl.absence().isPresent()) {
      PeLine.print("skipped", LibraryExchange.ncclName(operation), nccl.absence().get());
      return;
    }
    byte[] id = PeGpu.shared(job, "nccl-id", nccl::newUniqueId);
    exchanges.add(
        LibraryExchange.nccl(
            operation, nccl.connect(memory.context(), id, job.pe(), job.peCount()), buffers));
  }
}
