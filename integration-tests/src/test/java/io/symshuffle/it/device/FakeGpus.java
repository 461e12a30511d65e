// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.it.Folders;
import io.symshuffle.kernel.KernelImage;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Compiles the fakes and sets system properties to their folders. */
final class FakeGpus implements BeforeAllCallback {
  static final String NVSHMEM_HOME = "symshuffle.it.fake.nvshmem";
  static final String CUDA_FOLDER = "symshuffle.it.fake.cuda";

  /** Settings for shuffles of tables in device heaps of CUDA memory. */
  static final String HEAPS =
      FakeTablesPlugin.SETTING
          + "\nspark.symshuffle.device.required=true"
          + "\nspark.symshuffle.device.backend=cuda"
          + "\nspark.symshuffle.device.heap.size=64m"
          + "\nspark.symshuffle.device.chunk.size=2m";

  /** The same, on fakes. */
  static final String CUDA_HEAPS =
      HEAPS + "\nspark.executorEnv.LD_LIBRARY_PATH=${" + CUDA_FOLDER + "}";

  @Override
  public void beforeAll(ExtensionContext context) {
    Path folder = Path.of("target", "it-work", "fakes").toAbsolutePath();
    Folders.delete(folder);
    compile(folder);
    System.setProperty(CUDA_FOLDER, folder.resolve("cuda").toString());
    System.setProperty(NVSHMEM_HOME, folder.resolve("nvshmem").toString());
  }

  /** Writes them to {@code cuda} and {@code nvshmem/lib} of a folder, or skips the tests. */
  static void compile(Path folder) {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    KernelImage image = KernelImage.find();
    assumeTrue(image.absence().isEmpty(), () -> image.absence().orElseThrow());
    FakeLibraries.cuda(folder.resolve("cuda"));
    FakeLibraries.nvshmem(folder.resolve("nvshmem/lib"));
  }
}
