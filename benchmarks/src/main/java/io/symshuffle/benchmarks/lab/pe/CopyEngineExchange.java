// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import java.util.ArrayList;
import java.util.List;

/** Copies by copy engines, each block on its own stream. */
final class CopyEngineExchange implements Exchange {
  private final boolean pull;
  private final Buffers buffers;
  private final List<CudaStream> streams = new ArrayList<>();
  private final List<CudaEvent> done = new ArrayList<>();
  private final CudaEvent begun;
  private long bytes;

  CopyEngineExchange(boolean pull, CudaContext context, Buffers buffers) {
    this.pull = pull;
    this.buffers = buffers;
    this.begun = context.newUntimedEvent();
    for (int k = 0; k < buffers.peCount(); k++) {
      streams.add(context.newStream());
      done.add(context.newUntimedEvent());
    }
  }

  @Override
  public String name() {
    return "copy engine, " + (pull ? "pull" : "push");
  }

  @Override
  public void prepare(long bytesInAll) {
    bytes = bytesInAll;
  }

  @Override
  public void queue(CudaStream stream, int times) {
    for (int i = 0; i < times; i++) {
      stream.record(begun);
      streams.forEach(own -> own.await(begun));
      for (int k = 0; k < buffers.peCount(); k++) {
        int pe = buffers.turn(k);
        int from = pull ? pe : buffers.pe();
        int to = pull ? buffers.pe() : pe;
        DeviceRange source = buffers.sendBlock(from, to, bytes);
        streams.get(k).copy(buffers.receiveBlock(to, from, bytes), source);
      }
      for (int k = 0; k < streams.size(); k++) {
        streams.get(k).record(done.get(k));
        stream.await(done.get(k));
      }
    }
  }

  @Override
  public void close() {
    done.forEach(CudaEvent::close);
    streams.forEach(CudaStream::close);
    begun.close();
  }
}
