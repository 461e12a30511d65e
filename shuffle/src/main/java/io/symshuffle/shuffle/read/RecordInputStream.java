// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.io.InputStream;
import java.util.Objects;
import org.apache.spark.unsafe.Platform;

/**
 * The concatenated bytes of all records, without headers, as input of a serializer. A thread other
 * than the task's reads copies of the blocks; see {@link InPlaceAccess}.
 */
final class RecordInputStream extends InputStream {
  private final BlockCursor blocks;
  private final InPlaceAccess access;
  private Object object;
  private long position;
  private long limit;

  /** Length of the records of the current group, in bytes. */
  private int length;

  /** Records of the current group after the current one. */
  private int following;

  /** The next byte of the current record. */
  private long record;

  /** Bytes of the current record that are left. */
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
      if (following == 0) {
        while (position >= limit) {
          if (!blocks.advance()) {
            return false;
          }
          object = blocks.object;
          position = blocks.position;
          limit = blocks.limit;
        }
        openGroup();
      }
      record = position;
      left = length;
      following--;
      position += RecordDescriptor.paddedLength(length);
    }
    return true;
  }

  private void openGroup() {
    length = Platform.getInt(object, position + RecordDescriptor.LENGTH_OFFSET);
    int count = Platform.getInt(object, position + RecordDescriptor.COUNT_OFFSET);
    position += RecordDescriptor.HEADER_BYTES;
    if (length < 0
        || count <= 0
        || count * RecordDescriptor.paddedLength(length) > limit - position) {
      throw blocks.corrupt(
          "%d records of %d bytes in a block of partition %d with %d bytes left"
              .formatted(count, length, blocks.partition, limit - position));
    }
    following = count;
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
