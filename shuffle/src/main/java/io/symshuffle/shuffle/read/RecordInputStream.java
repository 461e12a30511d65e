// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.io.InputStream;
import java.util.Objects;
import org.apache.spark.unsafe.Platform;

/**
 * The concatenated bytes of all records, without record headers, as input of a serializer. A thread
 * other than the task's reads copies of the blocks; see {@link InPlaceAccess}.
 */
final class RecordInputStream extends InputStream {
  private final BlockCursor blocks;
  private final InPlaceAccess access;
  private Object object;
  private long position;
  private long limit;
  private long record;
  private int left;

  RecordInputStream(BlockCursor blocks, InPlaceAccess access) {
    this.blocks = blocks;
    this.access = access;
  }

  @Override
  public int read() {
    if (!nextBytes()) {
      return -1;
    }
    left--;
    return Platform.getByte(object, record++) & 0xFF;
  }

  @Override
  public int read(byte[] to, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, to.length);
    if (length == 0) {
      return 0;
    }
    if (!nextBytes()) {
      return -1;
    }
    int count = Math.min(left, length);
    Platform.copyMemory(object, record, to, Platform.BYTE_ARRAY_OFFSET + offset, count);
    record += count;
    left -= count;
    return count;
  }

  @Override
  public int available() {
    return left;
  }

  private boolean nextBytes() {
    if (object == null && (left > 0 || position < limit) && !access.isDirect()) {
      copyRest();
    }
    while (left == 0) {
      while (position >= limit) {
        if (!blocks.advance()) {
          return false;
        }
        object = blocks.object;
        position = blocks.position;
        limit = blocks.limit;
      }
      int length = Platform.getInt(object, position + RecordDescriptor.LENGTH_OFFSET);
      int partition = Platform.getInt(object, position + RecordDescriptor.PARTITION_OFFSET);
      long size = RecordDescriptor.sizeOf(length);
      if (length < 0 || size > limit - position || partition != blocks.partition) {
        throw blocks.corrupt(
            "a record of partition %d with %d bytes in a block of partition %d with %d bytes left"
                .formatted(partition, length, blocks.partition, limit - position));
      }
      record = position + RecordDescriptor.HEADER_BYTES;
      left = length;
      position += size;
    }
    return true;
  }

  /** Continues in a copy: the task's thread has moved to this block. */
  private void copyRest() {
    long start = left > 0 ? record : position;
    object = access.copy(start, limit);
    position += Platform.BYTE_ARRAY_OFFSET - start;
    limit += Platform.BYTE_ARRAY_OFFSET - start;
    record = Platform.BYTE_ARRAY_OFFSET;
  }
}
