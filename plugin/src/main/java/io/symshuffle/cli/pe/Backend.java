// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

import io.symshuffle.cli.CliException;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemSearch;
import java.util.Optional;

/** Which heap the PEs have. */
public enum Backend {
  /** Shared memory of this host; needs no GPU. */
  SHM,
  /** NVSHMEM; one GPU a PE. */
  NVSHMEM;

  /**
   * A backend and why it was taken.
   *
   * @param backend the backend
   * @param reason a sentence; empty where the user chose
   */
  public record Choice(Backend backend, Optional<String> reason) {}

  /**
   * Takes what the user asked for, or else GPUs where they can be used.
   *
   * @param asked what the user asked for, or null
   * @param pes number of PEs
   * @return the backend
   * @throws CliException when it was asked for and cannot be had, with the remedy
   */
  public static Choice choose(Backend asked, int pes) {
    if (asked == SHM) {
      return new Choice(SHM, Optional.empty());
    }
    Optional<String> absence = absence(pes);
    if (asked == NVSHMEM) {
      absence.ifPresent(
          reason -> {
            throw new CliException("The backend nvshmem cannot be used: " + reason + ".");
          });
      return new Choice(NVSHMEM, Optional.empty());
    }
    return absence
        .map(
            reason ->
                new Choice(SHM, Optional.of("Shared memory in place of GPUs: " + reason + ".")))
        .orElseGet(() -> new Choice(NVSHMEM, Optional.empty()));
  }

  private static Optional<String> absence(int pes) {
    CudaDriver driver = CudaDriver.system();
    if (driver.absence().isPresent()) {
      return driver.absence();
    }
    int gpus = driver.deviceCount();
    if (gpus < pes) {
      return Optional.of(
          "%d PEs need a GPU each, and this process sees %d: ask for --pes %d, or look at"
                  .formatted(pes, gpus, gpus)
              + " CUDA_VISIBLE_DEVICES");
    }
    return nvshmem().absence();
  }

  /** NVSHMEM as commands find it. */
  static NvshmemLibrary nvshmem() {
    return NvshmemLibrary.open(NvshmemSearch.here(Optional.empty()));
  }
}
