// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.Piece;
import java.util.List;

/** The kernel of shuffles: each PE reads its blocks from all PEs. */
final class KernelExchange implements Exchange {
  private final Kernels kernels;
  private final Buffers buffers;
  private KernelLaunch launch;

  KernelExchange(Kernels kernels, Buffers buffers) {
    this.kernels = kernels;
    this.buffers = buffers;
  }

  @Override
  public String name() {
    return "pull kernel";
  }

  @Override
  public void prepare(long bytes) {
    close();
    List<Piece> pieces = buffers.pieces(bytes);
    launch = kernels.pull(pieces, kernels.planFor(pieces, buffers.peCount()));
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
