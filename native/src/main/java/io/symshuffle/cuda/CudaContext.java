// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Our part in the primary context of a device; whoever else is in it (the CUDA runtime, NVSHMEM,
 * RAPIDS) sees the same memory. Its last owner's close destroys it. Threads: any; each call makes
 * it the calling thread's current context.
 */
public final class CudaContext implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CudaContext.class);

  /** CU_STREAM_NON_BLOCKING: does not wait for the legacy default stream. */
  private static final int NON_BLOCKING = 1;

  /** CU_EVENT_DISABLE_TIMING, and CU_EVENT_DEFAULT. */
  private static final int WITHOUT_TIME = 2;

  private static final int WITH_TIME = 0;

  /** CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP; the same bits for registration. */
  private static final int PORTABLE_AND_MAPPED = 3;

  private final CudaDriver driver;
  private final CudaDevice device;
  private final int deviceHandle;
  private final long handle;
  private final AtomicBoolean closed = new AtomicBoolean();

  CudaContext(CudaDriver driver, CudaDevice device, int deviceHandle, long handle) {
    this.driver = driver;
    this.device = device;
    this.deviceHandle = deviceHandle;
    this.handle = handle;
  }

  /**
   * The device's memory.
   *
   * @param freeBytes not allocated
   * @param totalBytes all memory
   */
  public record MemoryInfo(long freeBytes, long totalBytes) {}

  /** {@return the device} */
  public CudaDevice device() {
    return device;
  }

  /** {@return the driver} */
  public CudaDriver driver() {
    return driver;
  }

  /** Makes this the current context of the calling thread, for libraries that need one. */
  public void use() {
    if (closed.get()) {
      throw new IllegalStateException("the context of " + device + " is closed");
    }
    int code = driver.api().cuCtxSetCurrent(handle);
    if (code != 0) {
      throw driver.failure(code, "cuCtxSetCurrent", device);
    }
  }

  /**
   * Waits until everything that was started on the device by this process is done. Not bounded: a
   * kernel that spins keeps it here.
   *
   * @throws io.symshuffle.ffi.NativeCallException when something failed on the device, also earlier
   *     and in another's kernel: the context is unusable then
   */
  public void synchronize() {
    use();
    driver.check(driver.api().cuCtxSynchronize(), "cuCtxSynchronize");
  }

  /** {@return the device's memory, free and in all, at this moment} */
  public MemoryInfo memory() {
    use();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment free = arena.allocate(JAVA_LONG);
      MemorySegment total = arena.allocate(JAVA_LONG);
      driver.check(driver.api().cuMemGetInfo(free, total), "cuMemGetInfo");
      return new MemoryInfo(free.get(JAVA_LONG, 0), total.get(JAVA_LONG, 0));
    }
  }

  /** {@return a new stream, concurrent with all others} */
  public CudaStream newStream() {
    return new CudaStream(
        this,
        create(
            to -> driver.api().cuStreamCreateWithPriority(to, NON_BLOCKING, 0),
            "cuStreamCreateWithPriority",
            NON_BLOCKING,
            0),
        true);
  }

  /**
   * Another library's stream, so that our work is ordered with its own.
   *
   * @param handle its CUstream, or one of the driver's two names: 1 for the legacy default stream,
   *     2 for the default stream of whichever thread uses it
   * @return the stream; closing it does nothing to the other library's
   */
  public CudaStream foreignStream(long handle) {
    if (handle == 0) {
      throw new IllegalArgumentException("0 is no stream: the legacy default stream is 1");
    }
    return new CudaStream(this, handle, false);
  }

  /** {@return a new event that notes the time} */
  public CudaEvent newEvent() {
    return newEvent(WITH_TIME);
  }

  /** {@return a new event that only marks a point, which costs less} */
  public CudaEvent newUntimedEvent() {
    return newEvent(WITHOUT_TIME);
  }

  private CudaEvent newEvent(int flags) {
    return new CudaEvent(
        this, create(to -> driver.api().cuEventCreate(to, flags), "cuEventCreate", flags));
  }

  /**
   * Loads kernels.
   *
   * @param image a cubin, a fatbin or PTX ending in a zero byte
   * @return the module
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_NO_BINARY_FOR_GPU (209) when the image
   *     has nothing for this GPU
   */
  public CudaModule load(byte[] image) {
    requireNonNull(image, "image is null");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(image.length, 16);
      MemorySegment.copy(image, 0, copy, JAVA_BYTE, 0, image.length);
      return new CudaModule(
          this,
          create(
              to -> driver.api().cuModuleLoadData(to, copy),
              "cuModuleLoadData",
              "an image of " + image.length + " bytes"));
    }
  }

  /**
   * Allocates device memory.
   *
   * @param bytes length, more than 0
   * @return the memory, 256-byte aligned; its content is undefined
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_OUT_OF_MEMORY (2) when there is none
   */
  public DeviceBuffer allocate(long bytes) {
    return new DeviceBuffer(
        this, create(to -> driver.api().cuMemAlloc(to, bytes), "cuMemAlloc", bytes), bytes);
  }

  /**
   * Allocates host memory that is pinned and that the GPU can address.
   *
   * @param bytes length, more than 0
   * @return the memory, page-aligned; its content is undefined
   */
  public PinnedBuffer allocatePinned(long bytes) {
    return new PinnedBuffer(
        this,
        create(
            to -> driver.api().cuMemHostAlloc(to, bytes, PORTABLE_AND_MAPPED),
            "cuMemHostAlloc",
            bytes,
            PORTABLE_AND_MAPPED),
        bytes);
  }

  /** Releases our reference to the context. Close the objects of the context before. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      int code = driver.api().cuDevicePrimaryCtxRelease(deviceHandle);
      if (code != 0) {
        LOG.warn("The context of {} could not be released: {}", device, driver.describe(code));
      }
    }
  }

  /** A call that writes a handle or an address to where its argument points. */
  @FunctionalInterface
  interface Creation {
    int into(MemorySegment to);
  }

  /** Calls and returns what was written. */
  long create(Creation creation, String function, Object... arguments) {
    use();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment to = arena.allocate(JAVA_LONG);
      driver.check(creation.into(to), function, arguments);
      return to.get(JAVA_LONG, 0);
    }
  }
}
