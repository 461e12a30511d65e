// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.benchmarks.lab.kernel.BarrierLaunch;
import io.symshuffle.benchmarks.lab.kernel.Reductions;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.KernelLaunch;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An all-reduce in one step: a barrier, a kernel that sums all PEs' data into this PE's receive
 * buffer, and a barrier. The kernel reads the peers one by one.
 */
final class SumExchange implements Exchange {
  /** Name in the report. */
  static final String NAME = "one-shot kernel";

  private final Reductions reductions;
  private final Buffers buffers;
  private final BarrierLaunch barrier;
  private KernelLaunch sum;

  /**
   * @param barrier a barrier that all exchanges of this PE share
   */
  SumExchange(Reductions reductions, Buffers buffers, BarrierLaunch barrier) {
    this.reductions = reductions;
    this.buffers = buffers;
    this.barrier = barrier;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void prepare(long bytes) {
    close();
    sum = reductions.sum(inputs(bytes), buffers.received(bytes));
  }

  private List<DeviceRange> inputs(long bytes) {
    return IntStream.range(0, buffers.peCount())
        .mapToObj(pe -> buffers.send().mapped(pe).slice(0, bytes))
        .toList();
  }

  @Override
  public int ctas() {
    return sum.shape().ctas();
  }

  @Override
  public void queue(CudaStream stream, int times) {
    for (int i = 0; i < times; i++) {
      barrier.queue(stream);
      sum.queue(stream);
      barrier.queue(stream);
    }
  }

  @Override
  public void check(CudaStream stream) throws Exception {
    barrier.await(stream, PeGpu.LIMIT);
    sum.await(stream, PeGpu.LIMIT);
  }

  @Override
  public void close() {
    if (sum != null) {
      sum.close();
      sum = null;
    }
  }
}
