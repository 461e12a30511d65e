// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import java.util.ArrayDeque;
import java.util.Queue;
import org.apache.spark.unsafe.Platform;

/** A cursor over the blocks that a test adds. */
final class FakeCursor extends BlockCursor {
  private final String name;
  private final Queue<Block> blocks = new ArrayDeque<>();

  private record Block(int partition, byte[] bytes) {}

  FakeCursor(String name) {
    this.name = name;
  }

  FakeCursor add(int blockPartition, byte[] bytes) {
    blocks.add(new Block(blockPartition, bytes));
    return this;
  }

  @Override
  public boolean advance() {
    Block block = blocks.poll();
    if (block == null) {
      return false;
    }
    partition = block.partition;
    object = block.bytes;
    position = Platform.BYTE_ARRAY_OFFSET;
    limit = position + block.bytes.length;
    return true;
  }

  @Override
  public RuntimeException corrupt(String found) {
    throw new IllegalStateException(name + ": " + found);
  }
}
