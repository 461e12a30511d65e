// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.linker;

import io.symshuffle.cuda.CudaContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Links relocatable kernels with a static library of device code at run time, on the user's
 * machine. Thread-safe.
 */
public sealed interface DeviceLinker permits DriverLinker, NvJitLink {

  /** {@return its name, for messages} */
  String name();

  /** {@return why it cannot be used, a sentence without a period; empty when it can} */
  Optional<String> absence();

  /**
   * Links a kernel.
   *
   * @param context the context of the GPU that the code is for
   * @param fatbin relocatable machine code or PTX
   * @param library an archive of objects with device code, for example {@code libx_device.a}
   * @return a cubin that {@link CudaContext#load} takes
   * @throws io.symshuffle.ffi.NativeCallException when linking fails, with the linker's log
   */
  byte[] link(CudaContext context, byte[] fatbin, Path library);

  /** {@return all linkers, in the order in which to try them} */
  static List<DeviceLinker> all() {
    return List.of(new DriverLinker(), NvJitLink.system());
  }
}
