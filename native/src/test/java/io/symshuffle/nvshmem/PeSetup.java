// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.fake.FakeLibraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Opens the libraries of a test's PE, real ones or fakes, and exchanges the unique id. */
public enum PeSetup {
  /** The driver and NVSHMEM of this machine; PE n has GPU n. */
  GPU {
    @Override
    public CudaDriver driver(Path folder, int pe) {
      return CudaDriver.system();
    }

    @Override
    public NvshmemLibrary library(Path folder, int pe) {
      return NvshmemLibrary.open(
          NvshmemSearch.here(
              Optional.ofNullable(System.getenv("SYMSHUFFLE_NVSHMEM")).map(Path::of)));
    }
  },

  /** Fakes; each PE has its own copies in its own folder. */
  FAKE {
    @Override
    public CudaDriver driver(Path folder, int pe) {
      return CudaDriver.open(List.of(FakeLibraries.cuda(folder.resolve("cuda-" + pe)).toString()));
    }

    @Override
    public NvshmemLibrary library(Path folder, int pe) {
      Path own = folder.resolve("nvshmem-" + pe);
      FakeLibraries.nvshmem(own);
      return NvshmemLibrary.open(NvshmemSearch.here(Optional.of(own)));
    }
  };

  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** Opens the CUDA driver of a PE. */
  public abstract CudaDriver driver(Path folder, int pe);

  /** Opens NVSHMEM's library for a PE. */
  public abstract NvshmemLibrary library(Path folder, int pe);

  /** Opens NVSHMEM on a PE's GPU. */
  public NvshmemRuntime open(Path folder, int pe, long bytes) {
    CudaDriver driver = driver(folder, pe);
    CudaContext context = driver.device(pe % driver.deviceCount()).openPrimaryContext();
    return NvshmemRuntime.open(
        library(folder, pe), context, NvshmemEnvironment.recommended(bytes, Optional.empty()));
  }

  /** Starts a PE; the unique id is passed in a file of the folder. */
  public static void start(NvshmemRuntime runtime, Path folder, String round, int pe, int peCount)
      throws IOException, InterruptedException {
    Path file = folder.resolve("unique-id-" + round);
    if (pe == 0) {
      Path next = folder.resolve("unique-id-next");
      Files.write(next, runtime.newUniqueId(LIMIT).bytes());
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!Files.exists(file)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("PE 0 created no unique id");
      }
      Thread.sleep(5);
    }
    runtime.start(new InitRequest(pe, peCount, new UniqueId(Files.readAllBytes(file)), LIMIT));
  }
}
