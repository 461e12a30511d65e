// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.ffi.Descriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Owns a reference to device memory that several processes can map. The memory exists until no
 * process has a reference, a mapping or a descriptor of it. Thread-safe.
 */
public final class SharedMemory extends CudaObject {
  /** CU_MEM_ALLOCATION_TYPE_PINNED. */
  private static final int PINNED = 1;

  /** CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR. */
  private static final int FILE_DESCRIPTOR = 1;

  /** CU_MEM_LOCATION_TYPE_DEVICE. */
  static final int DEVICE = 1;

  /** CU_MEM_ALLOC_GRANULARITY_RECOMMENDED. */
  private static final int RECOMMENDED = 1;

  // struct CUmemAllocationProp { CUmemAllocationType type; CUmemAllocationHandleType
  //   requestedHandleTypes; CUmemLocation location { type; id; }; void *win32HandleMetaData;
  //   struct { 8 bytes } allocFlags; };
  private static final long PROPERTIES_BYTES = 32;
  private static final long HANDLE_TYPES = 4;
  private static final long LOCATION_TYPE = 8;
  private static final long LOCATION_ID = 12;

  private final long bytes;

  private SharedMemory(CudaContext context, long handle, long bytes) {
    super(context, handle);
    this.bytes = bytes;
  }

  static SharedMemory create(CudaContext context, long bytes) {
    CudaApi api = context.driver().api();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties = properties(arena, context);
      long handle =
          context.create(to -> api.cuMemCreate(to, bytes, properties, 0), "cuMemCreate", bytes);
      return new SharedMemory(context, handle, bytes);
    }
  }

  static SharedMemory imported(CudaContext context, Descriptor descriptor, long bytes) {
    CudaApi api = context.driver().api();
    long fd = descriptor.number();
    long handle =
        context.create(
            to -> api.cuMemImportFromShareableHandle(to, fd, FILE_DESCRIPTOR),
            "cuMemImportFromShareableHandle",
            fd,
            FILE_DESCRIPTOR);
    return new SharedMemory(context, handle, bytes);
  }

  /** Returns the unit of lengths and offsets in bytes, for example 2 MiB. */
  public static long granularity(CudaContext context) {
    CudaApi api = context.driver().api();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties = properties(arena, context);
      return context.create(
          to -> api.cuMemGetAllocationGranularity(to, properties, RECOMMENDED),
          "cuMemGetAllocationGranularity");
    }
  }

  /** Returns its length in bytes. */
  public long bytes() {
    return bytes;
  }

  /**
   * Exports the memory. The driver refuses this for imported memory: keep the descriptor instead.
   *
   * @return a descriptor with which other processes can import it, and which child processes do not
   *     inherit; the caller closes it
   */
  public Descriptor export() {
    CudaDriver driver = context().driver();
    long handle = use();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment fd = arena.allocate(JAVA_LONG);
      driver.check(
          driver.api().cuMemExportToShareableHandle(fd, handle, FILE_DESCRIPTOR, 0),
          "cuMemExportToShareableHandle",
          handle,
          FILE_DESCRIPTOR);
      // The driver does not say whether children inherit it, and one would keep the memory.
      try (Descriptor exported = Descriptor.own(fd.get(JAVA_INT, 0))) {
        return exported.duplicate();
      }
    }
  }

  private static MemorySegment properties(Arena arena, CudaContext context) {
    MemorySegment properties = arena.allocate(PROPERTIES_BYTES, Long.BYTES);
    properties.set(JAVA_INT, 0, PINNED);
    properties.set(JAVA_INT, HANDLE_TYPES, FILE_DESCRIPTOR);
    properties.set(JAVA_INT, LOCATION_TYPE, DEVICE);
    properties.set(JAVA_INT, LOCATION_ID, context.deviceHandle());
    return properties;
  }

  @Override
  int release(CudaApi api, long ownHandle) {
    return api.cuMemRelease(ownHandle);
  }
}
