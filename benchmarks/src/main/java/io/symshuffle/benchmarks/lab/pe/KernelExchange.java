// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.benchmarks.lab.kernel.LabKernels;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.LaunchPlan;
import io.symshuffle.kernel.Piece;
import java.util.List;

/** SymShuffle's kernels: each PE reads its blocks from all PEs, or writes them to all PEs. */
final class KernelExchange implements Exchange {
  private final boolean pull;
  private final Kernels kernels;
  private final LabKernels labKernels;
  private final Buffers buffers;
  private KernelLaunch launch;

  KernelExchange(boolean pull, Kernels kernels, LabKernels labKernels, Buffers buffers) {
    this.pull = pull;
    this.kernels = kernels;
    this.labKernels = labKernels;
    this.buffers = buffers;
  }

  @Override
  public String name() {
    return pull ? "pull kernel" : "push kernel";
  }

  @Override
  public void prepare(long bytes) {
    close();
    List<Piece> pieces = buffers.pieces(pull, bytes);
    LaunchPlan plan = kernels.planFor(pieces, buffers.peCount());
    launch = pull ? kernels.pull(pieces, plan) : labKernels.push(pieces, plan);
  }

  @Override
  public int ctas() {
    return launch.shape().ctas();
  }

  @Override
  public void queue(CudaStream stream, int times) {
    for (int i = 0; i < times; i++) {
      launch.queue(stream);
    }
  }

  @Override
  public void check(CudaStream stream) throws Exception {
    launch.await(stream, PeGpu.LIMIT);
  }

  @Override
  public void close() {
    if (launch != null) {
      launch.close();
      launch = null;
    }
  }
}
