// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.benchmarks.lab.kernel.LabKernels;
import io.symshuffle.benchmarks.lab.kernel.PeerCopy;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.Piece;
import java.util.List;

/** Kernels and copy engines together, each for the pieces that it copies faster. */
final class PeerCopyExchange implements Exchange {
  private final boolean read;
  private final Kernels kernels;
  private final LabKernels labKernels;
  private final Buffers buffers;
  private PeerCopy copy;

  PeerCopyExchange(boolean read, Kernels kernels, LabKernels labKernels, Buffers buffers) {
    this.read = read;
    this.kernels = kernels;
    this.labKernels = labKernels;
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
            ? PeerCopy.reading(kernels, labKernels, pieces)
            : PeerCopy.writing(kernels, labKernels, pieces);
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
