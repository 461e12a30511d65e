// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.ffi.NativeCallException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages about unusable drivers and failed calls, with a fake driver. */
class CudaDriverTest {
  @TempDir private Path folder;

  @Test
  void missingDriverIsReportedWithTheRemedy() {
    CudaDriver driver = CudaDriver.open(List.of(folder.resolve("libcuda.so.1").toString()));
    String absence = driver.absence().orElseThrow();
    assertEquals(
        "the CUDA driver's library libcuda.so.1 cannot be loaded: install the NVIDIA driver, and"
            + " start containers with GPUs",
        absence);
    assertEquals(
        "CUDA cannot be used: " + absence,
        assertThrows(IllegalStateException.class, driver::deviceCount).getMessage());
  }

  @Test
  void anotherLibraryIsNotTakenForADriver() {
    String absence = CudaDriver.open(List.of("libc.so.6")).absence().orElseThrow();
    assertTrue(absence.startsWith("libc.so.6 is not a CUDA driver: it lacks "), absence);
  }

  @Test
  void oldDriverIsReportedWithTheRequiredVersion() {
    assertEquals(
        Optional.of(
            "the NVIDIA driver is too old: it supports CUDA 11.8, but 12.0 is required; install"
                + " driver 525 or newer"),
        fake("driver=11080").absence());
  }

  @ParameterizedTest
  @CsvSource({
    "100, check nvidia-smi and CUDA_VISIBLE_DEVICES",
    "803, reboot",
    "804, remove CUDA's compatibility libraries from LD_LIBRARY_PATH",
    "34, replace the stub library"
  })
  void failedInitializationIsReportedWithTheRemedy(int code, String remedy) {
    String absence = fake("init_rc=" + code).absence().orElseThrow();
    assertTrue(absence.startsWith("cuInit(0) failed: "), absence);
    assertTrue(absence.contains("(" + code + ")") && absence.contains(remedy), absence);
  }

  @Test
  void failedCallIsReportedWithItsArguments() {
    CudaDriver driver = fake();
    try (CudaContext context = driver.device(1).openPrimaryContext()) {
      NativeCallException failure =
          assertThrows(NativeCallException.class, () -> context.allocate(1L << 40));
      assertEquals(2, failure.code());
      assertEquals(
          "cuMemAlloc(1099511627776) failed: CUDA_ERROR_OUT_OF_MEMORY (2), out of memory",
          failure.getMessage());
    }
  }

  private CudaDriver fake(String... words) {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    Path library = FakeLibraries.cuda(folder);
    FakeLibraries.script(folder, words);
    return CudaDriver.open(List.of(library.toString()));
  }
}
