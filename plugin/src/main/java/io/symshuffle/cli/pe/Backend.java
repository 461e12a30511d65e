// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.pe;

import io.symshuffle.cli.CliException;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemSearch;
import java.util.Locale;
import java.util.Optional;

/** The heap that the PEs of a command use. */
public enum Backend {
  /** Shared memory of this host; does not need GPUs. */
  SHM,
  /** NVSHMEM; one GPU per PE. */
  NVSHMEM,
  /** CUDA's virtual memory; one GPU per PE. */
  CUDA;

  /**
   * A backend and why it was chosen.
   *
   * @param reason a sentence; empty if the user chose or GPUs are usable
   */
  public record Choice(Backend backend, Optional<String> reason) {}

  /**
   * Chooses the backend that the user requests, or by default GPUs if they are usable.
   *
   * @param requested what the user requests, or null
   * @throws CliException if the requested backend is not usable, with the remedy
   */
  public static Choice choose(Backend requested, int pes) {
    if (requested == SHM) {
      return new Choice(SHM, Optional.empty());
    }
    Optional<String> absence =
        gpuAbsence(pes).or(() -> requested == CUDA ? Optional.empty() : nvshmem().absence());
    if (requested != null) {
      absence.ifPresent(
          reason -> {
            throw new CliException(
                "The backend %s cannot be used: %s."
                    .formatted(requested.name().toLowerCase(Locale.ROOT), reason));
          });
      return new Choice(requested, Optional.empty());
    }
    return absence
        .map(
            reason ->
                new Choice(
                    SHM, Optional.of("Using shared memory instead of GPUs: " + reason + ".")))
        .orElseGet(() -> new Choice(NVSHMEM, Optional.empty()));
  }

  private static Optional<String> gpuAbsence(int pes) {
    CudaDriver driver = CudaDriver.system();
    if (driver.absence().isPresent()) {
      return driver.absence();
    }
    int gpus = driver.deviceCount();
    if (gpus < pes) {
      return Optional.of(
          "%d PEs need a GPU each, and this process sees %d: use --pes %d, or check"
                  .formatted(pes, gpus, gpus)
              + " CUDA_VISIBLE_DEVICES");
    }
    return Optional.empty();
  }

  /** Returns NVSHMEM's library, from the usual places. */
  public static NvshmemLibrary nvshmem() {
    return NvshmemLibrary.open(NvshmemSearch.here(Optional.empty()));
  }
}
