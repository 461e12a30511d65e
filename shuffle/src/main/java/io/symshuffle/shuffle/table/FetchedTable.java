// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

/**
 * The bytes of a table that came from another host.
 *
 * @param data its data, as it travelled
 * @param packedBytes size of the data if a GPU has packed it, so that one has to unpack it; 0 if
 *     not
 * @param isChecked whether the checksum of the data, not packed, has been verified
 */
record FetchedTable(ArrivalMemory.Part data, long packedBytes, boolean isChecked)
    implements AutoCloseable {
  @Override
  public void close() {
    data.close();
  }
}
