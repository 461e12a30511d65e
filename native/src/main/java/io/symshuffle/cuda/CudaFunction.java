// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A kernel of a module, valid until the module is closed. Thread-safe. */
public final class CudaFunction {
  /** CU_FUNC_ATTRIBUTE_NUM_REGS. */
  private static final int REGISTERS = 4;

  private final CudaModule module;
  private final String name;
  private final long handle;

  CudaFunction(CudaModule module, String name, long handle) {
    this.module = module;
    this.name = name;
    this.handle = handle;
  }

  /** Returns its C name. */
  public String name() {
    return name;
  }

  /** Returns the number of registers per thread. */
  public int registers() {
    module.use();
    return driver()
        .readInt(to -> api().cuFuncGetAttribute(to, REGISTERS, handle), "cuFuncGetAttribute", name);
  }

  /**
   * Queues a launch of a kernel whose only parameter is one struct.
   *
   * @param argument the struct, with the kernel's layout and length, in native or heap memory; this
   *     call copies it
   */
  public void launch(CudaStream stream, LaunchShape shape, MemorySegment argument) {
    long streamHandle = stream.use();
    module.use();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copied = arena.allocate(argument.byteSize(), Long.BYTES).copyFrom(argument);
      MemorySegment parameters = arena.allocate(ADDRESS);
      parameters.set(ADDRESS, 0, copied);
      int code =
          api()
              .cuLaunchKernel(
                  handle,
                  shape.ctas(),
                  1,
                  1,
                  shape.threads(),
                  1,
                  1,
                  shape.sharedBytes(),
                  streamHandle,
                  parameters,
                  MemorySegment.NULL);
      if (code != 0) {
        throw driver().failure(code, "cuLaunchKernel", name, shape);
      }
    }
  }

  private CudaDriver driver() {
    return module.context().driver();
  }

  private CudaApi api() {
    return driver().api();
  }
}
