// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.linker;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.ffi.NativeCallException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverLinkerTest {
  @TempDir private Path folder;

  @Test
  void failureHasTheLinkersLog() {
    CudaDriver driver = fake("link_rc=222");
    try (CudaContext context = driver.device(0).openPrimaryContext()) {
      String message =
          assertThrows(
                  NativeCallException.class,
                  () -> new DriverLinker().link(context, new byte[4], folder.resolve("none.a")))
              .getMessage();
      assertTrue(
          message.startsWith("cuLinkCreate() failed: ")
              && message.endsWith("; the fake linker was told to fail"),
          message);
      FakeLibraries.script(folder);
      String missing =
          assertThrows(
                  NativeCallException.class,
                  () -> new DriverLinker().link(context, new byte[4], folder.resolve("none.a")))
              .getMessage();
      assertTrue(missing.startsWith("cuLinkAddFile(LIBRARY, " + folder), missing);
    }
  }

  private CudaDriver fake(String... words) {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    Path library = FakeLibraries.cuda(folder);
    FakeLibraries.script(folder, words);
    return CudaDriver.open(List.of(library.toString()));
  }
}
