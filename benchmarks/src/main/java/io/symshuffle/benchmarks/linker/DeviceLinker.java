// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.linker;

import io.symshuffle.cuda.CudaContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Links relocatable kernels with a static library of device code at run time, so that both may come
 * from different makers and only meet on the user's machine. Threads: any.
 */
public sealed interface DeviceLinker permits DriverLinker, NvJitLink {

  /** {@return what it is, for messages} */
  String name();

  /** {@return why it cannot be used, a sentence without its full stop; empty when it can} */
  Optional<String> absence();

  /**
   * Links.
   *
   * @param context whose GPU the code is for
   * @param fatbin relocatable machine code or PTX
   * @param library an archive of objects with device code, for example {@code libx_device.a}
   * @return a cubin that {@link CudaContext#load} takes
   * @throws io.symshuffle.ffi.NativeCallException when they do not fit together, with the linker's
   *     own words
   */
  byte[] link(CudaContext context, byte[] fatbin, Path library);

  /** {@return all there are, the one to be tried first in front} */
  static List<DeviceLinker> all() {
    return List.of(new DriverLinker(), NvJitLink.system());
  }
}
