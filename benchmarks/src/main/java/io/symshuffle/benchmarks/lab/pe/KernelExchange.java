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
import java.util.OptionalInt;

/** SymShuffle's kernels: each PE reads its blocks from all PEs, or writes them to all PEs. */
final class KernelExchange implements Exchange {

  /** Kernels. */
  enum Kind {
    PULL("pull kernel"),
    PULL_TMA("pull, bulk copies"),
    PUSH("push kernel");

    private final String label;

    Kind(String label) {
      this.label = label;
    }
  }

  private final Kind kind;
  private final Kernels kernels;
  private final LabKernels labKernels;
  private final Buffers buffers;
  private final OptionalInt ctas;
  private KernelLaunch launch;

  /** Uses the kernels' default number of CTAs unless one is given. */
  KernelExchange(
      Kind kind, Kernels kernels, LabKernels labKernels, Buffers buffers, OptionalInt ctas) {
    this.kind = kind;
    this.kernels = kernels;
    this.labKernels = labKernels;
    this.buffers = buffers;
    this.ctas = ctas;
  }

  @Override
  public String name() {
    return kind.label + (ctas.isPresent() ? " (" + ctas.getAsInt() + " CTAs)" : "");
  }

  @Override
  public void prepare(long bytes) {
    close();
    List<Piece> pieces = buffers.pieces(kind != Kind.PUSH, bytes);
    LaunchPlan usual = kernels.planFor(pieces, buffers.peCount());
    LaunchPlan plan =
        kind == Kind.PULL_TMA
            ? new LaunchPlan(Math.min(usual.ctas(), kernels.multiprocessors()), 8, usual.spans())
            : usual;
    if (ctas.isPresent()) {
      plan = new LaunchPlan(ctas.getAsInt(), plan.tileUnits(), plan.spans());
    }
    launch =
        switch (kind) {
          case PULL -> kernels.pull(pieces, plan);
          case PULL_TMA -> labKernels.pullTma(pieces, plan);
          case PUSH -> labKernels.push(pieces, plan);
        };
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
