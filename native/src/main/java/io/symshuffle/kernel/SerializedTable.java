// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.DeviceRange;

/**
 * A serialized table to check with {@link Kernels#checkTables}: rows of a batch in the format of
 * RAPIDS' class {@code KudoGpuSerializer}.
 *
 * @param range its bytes, header included, and nothing else
 * @param rows the rows that it is expected to have, 0 or more
 */
public record SerializedTable(DeviceRange range, long rows) {
  /**
   * @throws IllegalArgumentException when the number of rows is negative, or not less than 2^31
   */
  public SerializedTable {
    if (rows < 0 || rows > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("a table of " + rows + " rows");
    }
  }
}
