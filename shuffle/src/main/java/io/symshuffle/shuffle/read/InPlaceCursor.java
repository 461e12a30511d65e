// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import org.apache.spark.unsafe.Platform;

/**
 * Iterates over the blocks of a cursor that reads in place, and copies them for threads that may
 * outlive the task. See {@link InPlaceAccess}.
 */
final class InPlaceCursor extends BlockCursor {
  private final BlockCursor blocks;
  private final InPlaceAccess access;

  InPlaceCursor(BlockCursor blocks, InPlaceAccess access) {
    this.blocks = blocks;
    this.access = access;
  }

  @Override
  public boolean advance() {
    return access.isDirect() ? advanceInPlace() : access.runBeforeEnd(this::advanceToCopy);
  }

  @Override
  public RuntimeException corrupt(String found) {
    throw blocks.corrupt(found);
  }

  private boolean advanceInPlace() {
    if (!blocks.advance()) {
      return false;
    }
    moveTo(blocks);
    return true;
  }

  private boolean advanceToCopy() {
    if (!advanceInPlace()) {
      return false;
    }
    if (object == null) {
      byte[] copy = access.copy(position, limit);
      object = copy;
      position = Platform.BYTE_ARRAY_OFFSET;
      limit = position + copy.length;
    }
    return true;
  }
}
