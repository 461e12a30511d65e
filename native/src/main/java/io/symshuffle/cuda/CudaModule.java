// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.ffi.Segments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Kernels and variables loaded into a context. Thread-safe. */
public final class CudaModule extends CudaObject {
  /** CUDA_ERROR_NOT_FOUND. */
  private static final int NOT_FOUND = 500;

  CudaModule(CudaContext context, long handle) {
    super(context, handle);
  }

  /**
   * Returns a kernel.
   *
   * @return the kernel, valid until the module is closed
   * @throws io.symshuffle.ffi.NativeCallException CUDA_ERROR_NOT_FOUND (500) when the module has no
   *     such kernel
   */
  public CudaFunction function(String name) {
    long module = use();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cName = Segments.allocateString(arena, name);
      long function =
          context()
              .create(
                  to -> context().driver().api().cuModuleGetFunction(to, module, cName),
                  "cuModuleGetFunction",
                  name);
      return new CudaFunction(this, name, function);
    }
  }

  /** Returns where a variable is; empty when the module has no such variable. */
  public Optional<DeviceRange> variable(String name) {
    long module = use();
    CudaDriver driver = context().driver();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(JAVA_LONG);
      MemorySegment bytes = arena.allocate(JAVA_LONG);
      int code =
          driver
              .api()
              .cuModuleGetGlobal(address, bytes, module, Segments.allocateString(arena, name));
      if (code == NOT_FOUND) {
        return Optional.empty();
      }
      driver.check(code, "cuModuleGetGlobal", name);
      return Optional.of(new DeviceRange(address.get(JAVA_LONG, 0), bytes.get(JAVA_LONG, 0)));
    }
  }

  @Override
  int release(CudaApi api, long ownHandle) {
    return api.cuModuleUnload(ownHandle);
  }
}
