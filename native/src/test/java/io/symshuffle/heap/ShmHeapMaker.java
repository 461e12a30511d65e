// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.nio.file.Path;

/** Heaps of shared memory, all in one folder of the group's. */
public final class ShmHeapMaker implements HeapMaker {
  /** Known to the test as well; the group's folder is private anyway. */
  static final FolderToken TOKEN = new FolderToken("5eed".repeat(8));

  @Override
  public SymmetricHeap make(int pe, int peCount, Path folder, long windowBytes) {
    return ShmHeap.create(HeapFolder.open(folder, TOKEN, folder), pe, windowBytes);
  }
}
