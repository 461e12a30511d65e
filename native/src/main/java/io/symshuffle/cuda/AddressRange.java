// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Owns reserved addresses of a GPU; {@link SharedMemory} is mapped to parts of them. Access to a
 * part without memory is an error that makes the context unusable. Unmap all parts before closing.
 *
 * <p>Thread-safe, except that two calls for the same part must not overlap in time.
 */
public final class AddressRange extends CudaObject {
  /** CU_MEM_ACCESS_FLAGS_PROT_READ. */
  private static final int READ = 1;

  /** CU_MEM_ACCESS_FLAGS_PROT_READWRITE. */
  private static final int READ_AND_WRITE = 3;

  // struct CUmemAccessDesc { CUmemLocation location { type; id; }; CUmemAccess_flags flags; };
  private static final long ACCESS_BYTES = 12;
  private static final long LOCATION_ID = 4;
  private static final long ACCESS_FLAGS = 8;

  private final long bytes;

  private AddressRange(CudaContext context, long address, long bytes) {
    super(context, address);
    this.bytes = bytes;
  }

  static AddressRange reserve(CudaContext context, long bytes) {
    CudaApi api = context.driver().api();
    long address =
        context.create(
            to -> api.cuMemAddressReserve(to, bytes, 0, 0, 0), "cuMemAddressReserve", bytes);
    return new AddressRange(context, address, bytes);
  }

  /** Returns the whole range, aligned to {@link SharedMemory#granularity}. */
  public DeviceRange range() {
    return new DeviceRange(handle(), bytes);
  }

  /**
   * Maps memory for this GPU.
   *
   * @param offset first byte of the part, a multiple of {@link SharedMemory#granularity}
   * @param writable whether kernels and copies of this process may write to it
   * @throws io.symshuffle.ffi.NativeCallException when this GPU cannot access the memory; nothing
   *     is mapped then
   */
  public void map(long offset, SharedMemory memory, boolean writable) {
    DeviceRange part = range().slice(offset, memory.bytes());
    CudaDriver driver = context().driver();
    long handle = memory.use();
    driver.check(
        driver.api().cuMemMap(part.address(), part.bytes(), 0, handle, 0), "cuMemMap", part);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment access = arena.allocate(ACCESS_BYTES, Integer.BYTES);
      access.set(JAVA_INT, 0, SharedMemory.DEVICE);
      access.set(JAVA_INT, LOCATION_ID, context().deviceHandle());
      access.set(JAVA_INT, ACCESS_FLAGS, writable ? READ_AND_WRITE : READ);
      int code = driver.api().cuMemSetAccess(part.address(), part.bytes(), access, 1);
      if (code != 0) {
        unmap(offset, memory.bytes());
        throw driver.failure(
            code, "cuMemSetAccess", part, writable ? "PROT_READWRITE" : "PROT_READ");
      }
    }
  }

  /**
   * Unmaps a part; nothing may use it anymore.
   *
   * @param offset first byte of the part
   * @param length the length of the memory that is mapped there
   */
  public void unmap(long offset, long length) {
    DeviceRange part = range().slice(offset, length);
    CudaDriver driver = context().driver();
    use();
    driver.check(driver.api().cuMemUnmap(part.address(), part.bytes()), "cuMemUnmap", part);
  }

  @Override
  int release(CudaApi api, long ownHandle) {
    return api.cuMemAddressFree(ownHandle, bytes);
  }
}
