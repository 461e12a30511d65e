// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import io.symshuffle.benchmarks.linker.DeviceLinker;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.KernelModule;
import io.symshuffle.kernel.UnsupportedKernelException;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemVersion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Machine code of device_pull, linked with NVSHMEM's device library.
 *
 * @param cubin the linked image
 * @param linker name of the linker
 */
record DevicePullCode(byte[] cubin, String linker) {
  private static final KernelModule.Contents CONTENTS =
      new KernelModule.Contents(
          BenchmarkStruct.all(), List.of("symshuffle_device_pull"), List.of());

  private static final String DEVICE_LIBRARY = "libnvshmem_device.a";

  /** Each of the two objects of the build matches one signature of NVSHMEM's transfer. */
  private static final String WITHOUT_QUEUE_PAIRS = "device_pull.fatbin";

  private static final String WITH_QUEUE_PAIRS = "device_pull_queue_pairs.fatbin";

  /** The first version whose transfer takes a queue pair. */
  private static final NvshmemVersion QUEUE_PAIRS = new NvshmemVersion(3, 5, 0);

  /**
   * Links with the first linker that succeeds.
   *
   * @throws UnsupportedKernelException when none succeeds, with the reason of each
   */
  static DevicePullCode link(
      CudaContext context, NvshmemLibrary nvshmem, List<DeviceLinker> linkers) {
    Path archive =
        nvshmem
            .folder()
            .map(folder -> folder.resolve(DEVICE_LIBRARY))
            .filter(Files::isRegularFile)
            .orElseThrow(
                () ->
                    new UnsupportedKernelException(
                        "%s is missing next to %s: install all of NVSHMEM, not just its host library"
                            .formatted(DEVICE_LIBRARY, nvshmem.name())));
    List<String> reasons = new ArrayList<>();
    for (String object : objects(nvshmem)) {
      KernelImage image = KernelImage.find(DevicePullCode.class, object);
      byte[] bytes =
          image
              .bytes()
              .orElseThrow(() -> new UnsupportedKernelException(image.absence().orElseThrow()));
      for (DeviceLinker linker : linkers) {
        if (linker.absence().isPresent()) {
          reasons.add(linker.absence().get());
          continue;
        }
        try {
          return new DevicePullCode(linker.link(context, bytes, archive), linker.name());
        } catch (NativeCallException e) {
          reasons.add("%s with %s: %s".formatted(linker.name(), object, e.getMessage()));
        }
      }
    }
    throw new UnsupportedKernelException(
        "device_pull cannot be linked with %s: %s; install a driver for CUDA 13, or its library nvJitLink (pip install"
                .formatted(archive, String.join("; ", reasons))
            + " nvidia-nvjitlink)");
  }

  /** Returns both objects, the one that matches the library's version first. */
  private static List<String> objects(NvshmemLibrary nvshmem) {
    boolean queuePairs = nvshmem.version().filter(v -> v.compareTo(QUEUE_PAIRS) >= 0).isPresent();
    return queuePairs
        ? List.of(WITH_QUEUE_PAIRS, WITHOUT_QUEUE_PAIRS)
        : List.of(WITHOUT_QUEUE_PAIRS, WITH_QUEUE_PAIRS);
  }

  /** Loads the kernel. */
  KernelModule load(CudaContext context, int pe) {
    return KernelModule.load(context, new KernelImage(Optional.of(cubin)), pe, CONTENTS);
  }
}
