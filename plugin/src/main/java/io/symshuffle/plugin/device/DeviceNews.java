// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

import io.symshuffle.nvshmem.UniqueId;
import java.util.Arrays;

/** What the driver answers an executor on its way into a device epoch. */
public sealed interface DeviceNews {

  /** Others are to act first: ask again. */
  record Wait() implements DeviceNews {}

  /** Make a unique id and send it. */
  record MakeId() implements DeviceNews {}

  /**
   * Start, together with the others, which have been told the same.
   *
   * @param id the token of this start
   * @param index the own number in NVSHMEM
   * @param pes SymShuffle's number of each PE of the epoch, by its number in NVSHMEM
   * @param windowBytes size of the window that all make
   */
  record Start(UniqueId id, int index, int[] pes, long windowBytes) implements DeviceNews {
    /** Checks that the numbers fit together: a wrong one would make all PEs wait for ever. */
    public Start {
      requireNonNull(id, "id is null");
      pes = pes.clone();
      boolean distinct =
          Arrays.stream(pes).distinct().count() == pes.length
              && Arrays.stream(pes).allMatch(pe -> pe >= 0);
      if (index < 0 || index >= pes.length || !distinct || windowBytes < 1) {
        throw new IllegalArgumentException(
            "The driver says that this executor is number %d of the PEs %s, with windows of %d bytes"
                .formatted(index, Arrays.toString(pes), windowBytes));
      }
    }

    /** {@return a copy of the table} */
    @Override
    public int[] pes() {
      return pes.clone();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Start start
          && id.equals(start.id)
          && index == start.index
          && Arrays.equals(pes, start.pes)
          && windowBytes == start.windowBytes;
    }

    @Override
    public int hashCode() {
      return 31 * (31 * id.hashCode() + index) + Arrays.hashCode(pes);
    }

    @Override
    public String toString() {
      return "Start[%s, index=%d, pes=%s, windowBytes=%d]"
          .formatted(id, index, Arrays.toString(pes), windowBytes);
    }
  }

  /** All have come through: the device heap may be used. */
  record Active() implements DeviceNews {}

  /**
   * There is no device heap for this executor; it works on the host heap.
   *
   * @param reason why, a sentence without its full stop
   * @param refused whether the application does not want to run so
   */
  record HostHeap(String reason, boolean refused) implements DeviceNews {
    /** Checks that there is a reason. */
    public HostHeap {
      requireNonNull(reason, "reason is null");
    }
  }
}
