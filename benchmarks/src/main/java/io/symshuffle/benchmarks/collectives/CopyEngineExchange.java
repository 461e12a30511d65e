// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.kernel.Piece;
import java.util.ArrayList;
import java.util.List;

/** Each PE copies its blocks from all PEs with copy engines, each on its own stream. */
final class CopyEngineExchange implements Exchange {
  private final Buffers buffers;
  private final List<CudaStream> streams = new ArrayList<>();
  private final List<CudaEvent> done = new ArrayList<>();
  private final CudaEvent begun;
  private List<Piece> pieces = List.of();

  CopyEngineExchange(CudaContext context, Buffers buffers) {
    this.buffers = buffers;
    this.begun = context.newUntimedEvent();
    for (int k = 0; k < buffers.peCount(); k++) {
      streams.add(context.newStream());
      done.add(context.newUntimedEvent());
    }
  }

  @Override
  public String name() {
    return "copy engine";
  }

  @Override
  public void prepare(long bytes) {
    pieces = buffers.pieces(bytes);
  }

  @Override
  public void queue(CudaStream stream, int times) {
    for (int i = 0; i < times; i++) {
      stream.record(begun);
      for (int k = 0; k < pieces.size(); k++) {
        CudaStream own = streams.get(k);
        own.await(begun);
        own.copy(pieces.get(k).destination(), pieces.get(k).source());
        own.record(done.get(k));
      }
      done.forEach(stream::await);
    }
  }

  @Override
  public void close() {
    done.forEach(CudaEvent::close);
    streams.forEach(CudaStream::close);
    begun.close();
  }
}
