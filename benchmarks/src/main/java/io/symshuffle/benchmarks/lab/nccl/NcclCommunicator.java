// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nccl;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;

/** An NCCL communicator of all PEs. Not thread-safe; all PEs make their calls in the same order. */
public final class NcclCommunicator implements AutoCloseable {
  /** ncclInt8. */
  private static final int BYTE = 0;

  private final NcclLibrary library;
  private final CudaContext context;
  private final long handle;
  private final int peCount;

  NcclCommunicator(NcclLibrary library, CudaContext context, long handle, int peCount) {
    this.library = library;
    this.context = context;
    this.handle = handle;
    this.peCount = peCount;
  }

  /**
   * Queues an all-to-all: block i of the source goes to PE i, and block j of the destination comes
   * from PE j, as one group of sends and receives.
   *
   * @param destination one block per PE
   * @param source one block per PE, of the same length
   */
  public void allToAll(DeviceRange destination, DeviceRange source, CudaStream stream) {
    long block = source.bytes() / peCount;
    long streamHandle = stream.address();
    NcclApi api = library.api();
    library.check(api.groupStart(), "ncclGroupStart");
    for (int pe = 0; pe < peCount; pe++) {
      DeviceRange from = source.slice(pe * block, block);
      DeviceRange to = destination.slice(pe * block, block);
      library.check(
          api.send(from.address(), block, BYTE, pe, handle, streamHandle), "ncclSend", from, pe);
      library.check(
          api.receive(to.address(), block, BYTE, pe, handle, streamHandle), "ncclRecv", to, pe);
    }
    library.check(api.groupEnd(), "ncclGroupEnd");
  }

  /** Aborts the communicator, without waiting for the other PEs. */
  @Override
  public void close() {
    context.use();
    library.check(library.api().abort(handle), "ncclCommAbort");
  }
}
