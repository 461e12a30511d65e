// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaStream;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Streams for copies that are waited for, one a thread at a time, made when there is none left. */
final class StreamPool implements AutoCloseable {
  private final CudaContext context;
  private final ConcurrentLinkedQueue<CudaStream> idle = new ConcurrentLinkedQueue<>();

  StreamPool(CudaContext context) {
    this.context = context;
  }

  /** Queues work and waits until it is done. */
  void run(Consumer<CudaStream> work) {
    CudaStream free = idle.poll();
    CudaStream stream = free == null ? context.newStream() : free;
    try {
      work.accept(stream);
      stream.synchronize();
    } finally {
      idle.add(stream);
    }
  }

  @Override
  public void close() {
    for (CudaStream stream = idle.poll(); stream != null; stream = idle.poll()) {
      stream.close();
    }
  }
}
