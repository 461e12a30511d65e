// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.nvshmem.UniqueId;
import java.io.Serializable;
import java.util.Arrays;

/** The driver's answer to a {@link DeviceStep}. */
public sealed interface DeviceInstruction extends Serializable {

  /** Wait for others, then ask again. */
  record Wait() implements DeviceInstruction {}

  /** Create a unique id and send it. */
  record CreateId() implements DeviceInstruction {}

  /**
   * Start, together with the other PEs of the epoch.
   *
   * @param id the token of this start
   * @param index this executor's number in NVSHMEM
   * @param pes SymShuffle's number of each PE of the epoch, by its number in NVSHMEM
   * @param windowBytes size of each PE's window
   */
  record Start(UniqueId id, int index, int[] pes, long windowBytes) implements DeviceInstruction {
    /** Checks that the numbers are consistent: a wrong one would make all PEs hang. */
    public Start {
      pes = pes.clone();
      boolean distinct =
          Arrays.stream(pes).distinct().count() == pes.length
              && Arrays.stream(pes).allMatch(pe -> pe >= 0);
      if (index < 0 || index >= pes.length || !distinct || windowBytes < 1) {
        throw new IllegalArgumentException(
            "the driver assigned number %d of the PEs %s, with windows of %d bytes"
                .formatted(index, Arrays.toString(pes), windowBytes));
      }
    }

    /** Returns a copy. */
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

  /** All PEs have started: the device heap may be used. */
  record Active() implements DeviceInstruction {}

  /**
   * This executor has no device heap and uses the host heap.
   *
   * @param reason why, a sentence without its full stop
   * @param refused whether the application requires device heaps, so that it must not run
   */
  record HostHeap(String reason, boolean refused) implements DeviceInstruction {}
}
