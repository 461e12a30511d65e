// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.ffi.Descriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reference to the primary context of a device, which the CUDA runtime, NVSHMEM and RAPIDS share.
 * The driver destroys the context when its last reference is released. Thread-safe; each call makes
 * the context current on the calling thread.
 */
public final class CudaContext implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CudaContext.class);

  /** CU_STREAM_NON_BLOCKING: does not wait for the legacy default stream. */
  private static final int NON_BLOCKING = 1;

  /** CU_EVENT_DISABLE_TIMING. */
  private static final int WITHOUT_TIME = 2;

  /** CU_EVENT_DEFAULT. */
  private static final int WITH_TIME = 0;

  /** CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP. */
  private static final int PORTABLE_AND_MAPPED = 3;

  private final CudaDriver driver;
  private final CudaDevice device;
  private final int deviceHandle;
  private final long handle;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Null until a thread waits for a stream. */
  private CompletionFlags marks;

  CudaContext(CudaDriver driver, CudaDevice device, int deviceHandle, long handle) {
    this.driver = driver;
    this.device = device;
    this.deviceHandle = deviceHandle;
    this.handle = handle;
  }

  /**
   * The device's memory.
   *
   * @param freeBytes bytes that are not allocated
   */
  public record MemoryInfo(long freeBytes, long totalBytes) {}

  /** Returns the device. */
  public CudaDevice device() {
    return device;
  }

  /** Returns the driver. */
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

  /** Returns the free and total memory of the device at this moment. */
  public MemoryInfo memory() {
    use();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment free = arena.allocate(JAVA_LONG);
      MemorySegment total = arena.allocate(JAVA_LONG);
      driver.check(driver.api().cuMemGetInfo(free, total), "cuMemGetInfo");
      return new MemoryInfo(free.get(JAVA_LONG, 0), total.get(JAVA_LONG, 0));
    }
  }

  /** Returns a new stream that runs concurrently with all others. */
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
   * Wraps another library's stream, to order work after that library's.
   *
   * @param handle its CUstream, or one of the driver's special handles: CU_STREAM_LEGACY (1), the
   *     legacy default stream, or CU_STREAM_PER_THREAD (2), the calling thread's default stream
   * @return the stream; closing it does not destroy the other library's stream
   */
  public CudaStream foreignStream(long handle) {
    if (handle == 0) {
      throw new IllegalArgumentException("0 is not a stream: the legacy default stream is 1");
    }
    return new CudaStream(this, handle, false);
  }

  /** Returns a new event that records the time. */
  public CudaEvent newEvent() {
    return newEvent(WITH_TIME);
  }

  /** Returns a new event that only marks a point, which costs less. */
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
   * @param image a cubin, a fatbin, or PTX that ends in a zero byte
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_NO_BINARY_FOR_GPU (209) when the image
   *     has no code for this GPU
   */
  public CudaModule load(byte[] image) {
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
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_OUT_OF_MEMORY (2) when the device has
   *     too little free memory
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

  /**
   * Creates device memory that other processes can map, without an address here.
   *
   * @param bytes length, a multiple of {@link SharedMemory#granularity}
   * @return the memory; its content is undefined
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_OUT_OF_MEMORY (2) when the device has
   *     too little free memory
   */
  public SharedMemory createShared(long bytes) {
    return SharedMemory.create(this, bytes);
  }

  /**
   * Imports device memory of another process.
   *
   * @param descriptor what the other process has exported; it stays open
   * @return the memory, which exists at least until this object is closed
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_INVALID_VALUE (1) when the descriptor
   *     is something else
   */
  public SharedMemory importShared(Descriptor descriptor, long bytes) {
    return SharedMemory.imported(this, descriptor, bytes);
  }

  /**
   * Reserves addresses, to map shared memory there.
   *
   * @param bytes length, a multiple of {@link SharedMemory#granularity}
   */
  public AddressRange reserveAddresses(long bytes) {
    return AddressRange.reserve(this, bytes);
  }

  /**
   * Allocates what waits for streams need: the driver may wait for running kernels when it
   * allocates memory, and such a kernel may wait for what the calling thread does next.
   */
  public void prepareWaits() {
    var unused = marks();
  }

  /** Returns the words by which streams tell threads how far they are. */
  synchronized CompletionFlags marks() {
    if (marks == null) {
      marks = new CompletionFlags(this);
    }
    return marks;
  }

  /** Returns the number with which the driver identifies the device. */
  int deviceHandle() {
    return deviceHandle;
  }

  /** Releases the reference. Close the context's objects first. */
  @Override
  public void close() {
    // First, since it needs the context to be open.
    closeMarks();
    if (closed.compareAndSet(false, true)) {
      int code = driver.api().cuDevicePrimaryCtxRelease(deviceHandle);
      if (code != 0) {
        LOG.warn("Cannot release the context of {}: {}", device, driver.describe(code));
      }
    }
  }

  private synchronized void closeMarks() {
    if (marks != null) {
      marks.close();
    }
  }

  /** Makes this the current context and makes a call, see {@link CudaDriver#readLong}. */
  long create(CudaDriver.Query creation, String function, Object... arguments) {
    use();
    return driver.readLong(creation, function, arguments);
  }
}
