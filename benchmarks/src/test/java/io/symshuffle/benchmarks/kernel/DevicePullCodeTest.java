// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.benchmarks.linker.DriverLinker;
import io.symshuffle.benchmarks.linker.NvJitLink;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.UnsupportedKernelException;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemSearch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Links device_pull with a fake driver, and with the real nvJitLink and NVSHMEM if they are
 * installed.
 */
class DevicePullCodeTest {
  private static final NvJitLink ABSENT = NvJitLink.open(List.of("libnone.so.13"));

  @TempDir private Path folder;

  @Test
  void absentLinkerHasAReason() {
    assertTrue(
        ABSENT
            .absence()
            .orElseThrow()
            .startsWith("CUDA's library nvJitLink was not found (libnone"));
    assertThrows(IllegalStateException.class, () -> ABSENT.link(90, new byte[0], folder));
  }

  @Test
  void missingDeviceLibraryIsReported() throws IOException {
    NvshmemLibrary nvshmem = fakeNvshmem();
    Files.delete(folder.resolve("libnvshmem_device.a"));
    try (CudaContext context = fakeContext()) {
      assertEquals(
          "libnvshmem_device.a is missing next to "
              + folder.resolve("libnvshmem_host.so.3")
              + ": install all of NVSHMEM, not just its host library",
          assertThrows(
                  UnsupportedKernelException.class,
                  () -> DevicePullCode.link(context, nvshmem, List.of(new DriverLinker())))
              .getMessage());
    }
  }

  @Test
  void failureReportsTheReasonOfEachLinker() {
    assumeTrue(BenchmarkKernels.image().absence().isEmpty(), "this build has no kernels");
    NvshmemLibrary nvshmem = fakeNvshmem();
    FakeLibraries.script(folder, "link_rc=801");
    try (CudaContext context = fakeContext()) {
      String message =
          assertThrows(
                  UnsupportedKernelException.class,
                  () -> DevicePullCode.link(context, nvshmem, List.of(new DriverLinker(), ABSENT)))
              .getMessage();
      assertTrue(
          message.startsWith(
              "device_pull cannot be linked with " + folder.resolve("libnvshmem_device.a")),
          message);
      assertTrue(message.contains("the driver's linker with device_pull.fatbin: cuLinkCreate"));
      assertTrue(message.contains("nvJitLink was not found"), message);
      assertTrue(message.contains("pip install nvidia-nvjitlink"), message);
      FakeLibraries.script(folder);
      assertEquals(
          "the driver's linker",
          DevicePullCode.link(context, nvshmem, List.of(ABSENT, new DriverLinker())).linker());
    }
  }

  @Test
  void realLinkerFindsEverySymbolInRealNvshmem() throws IOException {
    assumeTrue(BenchmarkKernels.image().absence().isEmpty(), "this build has no kernels");
    NvJitLink linker = NvJitLink.system();
    assumeTrue(linker.absence().isEmpty(), () -> linker.absence().orElseThrow());
    NvshmemLibrary nvshmem = NvshmemLibrary.open(NvshmemSearch.here(Optional.empty()));
    assumeTrue(nvshmem.absence().isEmpty(), () -> nvshmem.absence().orElseThrow());
    Path archive = nvshmem.folder().orElseThrow().resolve("libnvshmem_device.a");
    byte[] image =
        KernelImage.find(DevicePullCode.class, "device_pull.fatbin").bytes().orElseThrow();
    for (int architecture : new int[] {80, 90, 100}) {
      String cubin =
          new String(linker.link(architecture, image, archive), StandardCharsets.ISO_8859_1);
      assertTrue(cubin.startsWith("\u007fELF"));
      assertTrue(cubin.contains("symshuffle_device_pull"));
      assertTrue(cubin.contains("symshuffle_layout"));
    }
    byte[] wrong =
        KernelImage.find(DevicePullCode.class, "device_pull_queue_pairs.fatbin")
            .bytes()
            .orElseThrow();
    String message =
        assertThrows(NativeCallException.class, () -> linker.link(90, wrong, archive)).getMessage();
    assertTrue(message.contains("nvJitLinkComplete"), message);
    assertTrue(message.contains("Undefined reference"), message);
  }

  private NvshmemLibrary fakeNvshmem() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    FakeLibraries.nvshmem(folder);
    return NvshmemLibrary.open(NvshmemSearch.here(Optional.of(folder)));
  }

  private CudaContext fakeContext() {
    return CudaDriver.open(List.of(FakeLibraries.cuda(folder).toString()))
        .device(0)
        .openPrimaryContext();
  }
}
