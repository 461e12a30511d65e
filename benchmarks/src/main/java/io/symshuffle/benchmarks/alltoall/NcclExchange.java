// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.benchmarks.nccl.NcclCommunicator;
import io.symshuffle.cuda.CudaStream;

/** NCCL's grouped sends and receives. */
final class NcclExchange implements Exchange {
  private final NcclCommunicator communicator;
  private final Buffers buffers;
  private long bytes;

  NcclExchange(NcclCommunicator communicator, Buffers buffers) {
    this.communicator = communicator;
    this.buffers = buffers;
  }

  @Override
  public String name() {
    return "NCCL send/receive";
  }

  @Override
  public void prepare(long bytesInAll) {
    bytes = bytesInAll;
  }

  @Override
  public void queue(CudaStream stream, int times) {
    for (int i = 0; i < times; i++) {
      communicator.allToAll(
          buffers.receive().peer(buffers.pe()).orElseThrow().slice(0, bytes),
          buffers.send().peer(buffers.pe()).orElseThrow().slice(0, bytes),
          stream);
    }
  }

  @Override
  public void close() {
    communicator.close();
  }
}
