// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.nvml.Nvml;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemSearch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * NVIDIA's libraries and our kernels, each loaded on first use.
 *
 * @param nvshmem NVSHMEM, from the folder that the user has set or from its usual places
 */
public record DeviceLibraries(
    Supplier<CudaDriver> cuda,
    Supplier<Nvml> nvml,
    Function<Optional<Path>, NvshmemLibrary> nvshmem,
    Supplier<KernelImage> kernels) {

  /** Returns those of this machine. */
  public static DeviceLibraries system() {
    return new DeviceLibraries(
        CudaDriver::system,
        Nvml::system,
        home -> NvshmemLibrary.open(NvshmemSearch.here(home.map(DeviceLibraries::libraryFolder))),
        KernelImage::find);
  }

  // In NVSHMEM_HOME the libraries are one folder deeper; users set either folder.
  private static Path libraryFolder(Path home) {
    Path deeper = home.resolve("lib");
    return Files.isDirectory(deeper) ? deeper : home;
  }
}
