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
 * Iterates over Spark SQL rows in place: the same row object points to one row after the other, as
 * in Spark's own deserializer. Callers must copy rows that they keep; the memory of the last row
 * stays valid until the task ends.
 *
 * <p>A thread other than the task's reads copies of the blocks; see {@link InPlaceAccess}.
 */
final class RowIterator extends AbstractIterator<Product2<Object, UnsafeRow>> {
  private final BlockCursor blocks;
  private final InPlaceAccess access;
  private final Count count;
  private final UnsafeRow row;
  private final int minBytes;
  private final MutablePair<Object, UnsafeRow> pair;
  private Object object;
  private long position;
  private long limit;

  /** Length of the rows of the current group, in bytes. */
  private int length;

  /** Rows of the current group that are left. */
  private int left;

  /**
   * Counts rows for Spark. Not part of the iterator, since Spark keeps this until the task ends,
   * and the iterator has the last block.
   */
  private static final class Count {
    private final ShuffleReadMetricsReporter metrics;
    private long records;

    Count(ShuffleReadMetricsReporter metrics) {
      this.metrics = metrics;
    }

    void report() {
      metrics.incRecordsRead(records);
      records = 0;
    }
  }

  RowIterator(
      BlockCursor blocks, InPlaceAccess access, int fields, ShuffleReadMetricsReporter metrics) {
    this.blocks = blocks;
    this.access = access;
    this.count = new Count(metrics);
    this.row = new UnsafeRow(fields);
    this.minBytes = UnsafeRow.calculateBitSetWidthInBytes(fields) + fields * Long.BYTES;
    // Readers only use the value; Spark's deserializer returns 0 as the key, too.
    this.pair = new MutablePair<>(0, row);
  }

  @Override
  public boolean hasNext() {
    return left > 0 || position < limit || nextBlock();
  }

  @Override
  public Product2<Object, UnsafeRow> next() {
    if (left == 0 && position >= limit && !nextBlock()) {
      throw new NoSuchElementException("no row is left");
    }
    if (object == null && !access.isDirect()) {
      copyRest();
    }
    if (left == 0) {
      openGroup();
    }
    row.pointTo(object, position, length);
    position += length;
    left--;
    count.records++;
    return pair;
  }

  private void openGroup() {
    int rowBytes = Platform.getInt(object, position + RecordDescriptor.LENGTH_OFFSET);
    int rows = Platform.getInt(object, position + RecordDescriptor.COUNT_OFFSET);
    long room = limit - position - RecordDescriptor.HEADER_BYTES;
    // Spark reads the words of a row's columns without checking its length again.
    if (rowBytes < minBytes || (rowBytes & 7) != 0 || rows <= 0 || (long) rows * rowBytes > room) {
      throw blocks.corrupt(
          "%d rows of %d bytes in a block of partition %d with %d bytes left"
              .formatted(rows, rowBytes, blocks.partition, room));
    }
    length = rowBytes;
    left = rows;
    position += RecordDescriptor.HEADER_BYTES;
  }

  /** Reports the rows read of the current block; to be run when the task ends. */
  Runnable atTaskEnd() {
    return count::report;
  }

  private boolean nextBlock() {
    count.report();
    if (!blocks.advance()) {
      return false;
    }
    object = blocks.object;
    position = blocks.position;
    limit = blocks.limit;
    return true;
  }

  /** Continues in a copy: the task's thread has moved to this block. */
  private void copyRest() {
    byte[] rest = access.copy(position, limit);
    object = rest;
    position = Platform.BYTE_ARRAY_OFFSET;
    limit = position + rest.length;
  }
}
