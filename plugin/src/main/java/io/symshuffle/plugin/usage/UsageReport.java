// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.usage;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.util.List;

/**
 * What an executor reports to the driver for the UI.
 *
 * @param time milliseconds since 1970
 * @param gpu name of its GPU; empty without a device heap
 * @param linkBytesPerSecond what all NVLinks of its GPU can carry in one direction; 0 if unknown
 * @param shuffles those that changed since the last report, at most {@link #MAX_SHUFFLES}
 */
public record UsageReport(
    String executorId,
    long time,
    String gpu,
    long linkBytesPerSecond,
    HeapUse heap,
    List<ShuffleUse> shuffles)
    implements Serializable {
  /** More changes wait for the next report. */
  public static final int MAX_SHUFFLES = 200;

  public UsageReport {
    shuffles = List.copyOf(shuffles);
    if (shuffles.size() > MAX_SHUFFLES) {
      throw new IllegalArgumentException(
          "executor %s reports %d shuffles, more than %d"
              .formatted(executorId, shuffles.size(), MAX_SHUFFLES));
    }
    for (ShuffleUse shuffle : shuffles) {
      requireNonNull(shuffle, "shuffle is null");
    }
  }
}
