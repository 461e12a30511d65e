// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.util.NoSuchElementException;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.util.MutablePair;
import scala.Product2;
import scala.collection.AbstractIterator;

/**
 * Iterates over Spark SQL rows in place: the same row object points to one record after the other,
 * as in Spark's own deserializer. Callers must copy rows that they keep; the memory of the last row
 * stays valid until the task ends.
 *
 * <p>A thread other than the task's reads copies of the blocks; see {@link InPlaceAccess}.
 */
final class RowIterator extends AbstractIterator<Product2<Object, UnsafeRow>> {
  private final BlockCursor blocks;
  private final InPlaceAccess access;
  private final ShuffleReadMetricsReporter metrics;
  private final UnsafeRow row;
  private final int minBytes;
  private final MutablePair<Object, UnsafeRow> pair;
  private Object object;
  private long position;
  private long limit;
  private int partition;
  private long records;

  RowIterator(
      BlockCursor blocks, InPlaceAccess access, int fields, ShuffleReadMetricsReporter metrics) {
    this.blocks = blocks;
    this.access = access;
    this.metrics = metrics;
    this.row = new UnsafeRow(fields);
    this.minBytes = UnsafeRow.calculateBitSetWidthInBytes(fields) + fields * Long.BYTES;
    // Readers only use the value; Spark's deserializer returns 0 as the key, too.
    this.pair = new MutablePair<>(0, row);
  }

  @Override
  public boolean hasNext() {
    return position < limit || nextBlock();
  }

  @Override
  public Product2<Object, UnsafeRow> next() {
    if (position >= limit && !nextBlock()) {
      throw new NoSuchElementException("no row is left");
    }
    if (object == null && !access.isDirect()) {
      copyRest();
    }
    int length = Platform.getInt(object, position + RecordDescriptor.LENGTH_OFFSET);
    long size = RecordDescriptor.sizeOf(length);
    // Spark reads the words of a row's columns without checking its length again.
    if (length < minBytes
        || (length & 7) != 0
        || size > limit - position
        || Platform.getInt(object, position + RecordDescriptor.PARTITION_OFFSET) != partition) {
      throw badRecord(length);
    }
    row.pointTo(object, position + RecordDescriptor.HEADER_BYTES, length);
    position += size;
    records++;
    return pair;
  }

  /** Reports the rows read since the last call; called at the end of each block and of the task. */
  void reportRecords() {
    metrics.incRecordsRead(records);
    records = 0;
  }

  private boolean nextBlock() {
    reportRecords();
    if (!blocks.advance()) {
      return false;
    }
    object = blocks.object;
    position = blocks.position;
    limit = blocks.limit;
    partition = blocks.partition;
    return true;
  }

  /** Continues in a copy: the task's thread has moved to this block. */
  private void copyRest() {
    byte[] rest = access.copy(position, limit);
    object = rest;
    position = Platform.BYTE_ARRAY_OFFSET;
    limit = position + rest.length;
  }

  private RuntimeException badRecord(int length) {
    int found = Platform.getInt(object, position + RecordDescriptor.PARTITION_OFFSET);
    return blocks.corrupt(
        "a row of partition %d with %d bytes in a block of partition %d with %d bytes left"
            .formatted(found, length, partition, limit - position));
  }
}
