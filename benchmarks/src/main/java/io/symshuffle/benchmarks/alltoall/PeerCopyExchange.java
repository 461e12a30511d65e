// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.benchmarks.kernel.BenchmarkKernels;
import io.symshuffle.benchmarks.kernel.PeerCopy;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.Piece;
import java.util.List;

/** Kernels and copy engines together, each for the pieces that it copies faster. */
final class PeerCopyExchange implements Exchange {
  private final boolean read;
  private final Kernels kernels;
  private final BenchmarkKernels extraKernels;
  private final Buffers buffers;
  private PeerCopy copy;

  PeerCopyExchange(boolean read, Kernels kernels, BenchmarkKernels extraKernels, Buffers buffers) {
    this.read = read;
    this.kernels = kernels;
    this.extraKernels = extraKernels;
    this.buffers = buffers;
  }

  @Override
  public String name() {
    return read ? "pull" : "push";
  }

  @Override
  public void prepare(long bytes) {
    close();
    List<Piece> pieces = buffers.pieces(read, bytes);
    copy =
        read
            ? PeerCopy.reading(kernels, extraKernels, pieces)
            : PeerCopy.writing(kernels, extraKernels, pieces);
  }

  @Override
  public int ctas() {
    return copy.ctas();
  }

  @Override
  public void queue(CudaStream stream, int times) {
    for (int i = 0; i < times; i++) {
      copy.queue(stream);
    }
  }

  @Override
  public void check(CudaStream stream) throws Exception {
    copy.await(stream, PeGpu.LIMIT);
  }

  @Override
  public void close() {
    if (copy != null) {
      copy.close();
      copy = null;
    }
  }
}
