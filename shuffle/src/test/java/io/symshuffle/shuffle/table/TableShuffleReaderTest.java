// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.read.ReadRequest;
import org.junit.jupiter.api.Test;

class TableShuffleReaderTest {
  /** Another executor's GPU may not reach a table, while each executor of a host reads its heap. */
  @Test
  void asksEachOwnerItself() {
    TableShuffleReader<Object, Object> reader =
        new TableShuffleReader<>(
            null,
            null,
            new TableShuffleHandle<>(1, null, false),
            new ReadRequest(1, 0, Integer.MAX_VALUE, 0, 1),
            null,
            null);
    assertTrue(reader.asksOwners());
  }
}
