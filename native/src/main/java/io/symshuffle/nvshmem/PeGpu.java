// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which GPU a PE has; the table of all PEs is checked before the library starts, since it does not
 * check itself until it is too late.
 *
 * @param pe number of the PE
 * @param host its host's name
 * @param gpuUuid what tells its GPU from all others: {@code GPU-…}
 */
public record PeGpu(int pe, String host, String gpuUuid) {

  /** Checks. */
  public PeGpu {
    requireNonNull(host, "host is null");
    requireNonNull(gpuUuid, "gpuUuid is null");
  }

  /**
   * What is wrong with a table.
   *
   * @param table one entry a PE
   * @return a sentence with its remedy; empty when PEs are 0 to n - 1 and each has its own GPU
   */
  public static Optional<String> conflict(List<PeGpu> table) {
    Map<Integer, PeGpu> byPe = new HashMap<>();
    Map<String, PeGpu> byGpu = new HashMap<>();
    for (PeGpu entry : table) {
      if (entry.pe() < 0 || entry.pe() >= table.size()) {
        return Optional.of(
            "PE %d on %s does not fit into a team of %d"
                .formatted(entry.pe(), entry.host(), table.size()));
      }
      PeGpu same = byPe.put(entry.pe(), entry);
      if (same != null) {
        return Optional.of(
            "two processes want to be PE %d, on %s and on %s: each number is given once"
                .formatted(entry.pe(), same.host(), entry.host()));
      }
      PeGpu sharing = byGpu.put(entry.gpuUuid(), entry);
      if (sharing != null) {
        return Optional.of(
            ("PE %d and PE %d share the GPU %s of %s: give each executor a GPU of its own"
                 + " (spark.executor.resource.gpu.amount=1 and a discovery script that names each"
                 + " GPU once)")
                .formatted(sharing.pe(), entry.pe(), entry.gpuUuid(), entry.host()));
      }
    }
    return Optional.empty();
  }
}
