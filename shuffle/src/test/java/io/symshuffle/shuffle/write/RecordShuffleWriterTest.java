// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.apache.spark.HashPartitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordShuffleWriterTest {
  private final HashPartitioner partitioner = new HashPartitioner(3);

  @Test
  void acceptsThePartitionsThatThereAre() {
    for (int partition = 0; partition < 3; partition++) {
      assertEquals(partition, RecordShuffleWriter.require(partition, 3, partitioner));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 3, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void namesThePartitionerThatReturnedAnotherOne(int partition) {
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> RecordShuffleWriter.require(partition, 3, partitioner))
            .getMessage();
    assertEquals(
        "the partitioner org.apache.spark.HashPartitioner returned partition %d, but there are 3 partitions: getPartition must return 0 to 2"
            .formatted(partition),
        message);
  }
}
