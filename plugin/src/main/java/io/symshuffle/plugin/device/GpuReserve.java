// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.device;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.SharedMemory;
import io.symshuffle.ffi.NativeCallException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * GPU memory that is held while other plugins start. RAPIDS takes a pool of what is free then and
 * keeps it, so a heap that creates its memory later would find none. Thread-safe.
 */
public final class GpuReserve implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GpuReserve.class);

  private final SharedMemory memory;

  private GpuReserve(SharedMemory memory) {
    this.memory = memory;
  }

  /**
   * Takes memory.
   *
   * @param bytes how much; rounded down to what the driver can create, possibly 0
   * @return what is held; empty if that is nothing, which is logged
   */
  public static Optional<GpuReserve> take(CudaContext context, long bytes) {
    try {
      long granularity = SharedMemory.granularity(context);
      long size = bytes / granularity * granularity;
      if (size <= 0) {
        LOG.warn(
            "RAPIDS can spare no GPU memory for the device heap, so map outputs go to the host:"
                + " lower spark.rapids.memory.gpu.minAllocFraction or"
                + " spark.rapids.memory.gpu.allocSize");
        return Optional.empty();
      }
      SharedMemory memory = context.createShared(size);
      LOG.info(
          "Reserving {} MiB of GPU memory for the device heap while RAPIDS starts", size >> 20);
      return Optional.of(new GpuReserve(memory));
    } catch (NativeCallException e) {
      LOG.warn(
          "Cannot reserve {} MiB of GPU memory for the device heap; using what RAPIDS leaves: {}",
          bytes >> 20,
          e.getMessage());
      return Optional.empty();
    }
  }

  /** Frees the memory. Later calls have no effect. */
  @Override
  public void close() {
    memory.close();
  }
}
