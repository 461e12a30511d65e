// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.nio.file.Path;

/**
 * Opens the heap of one PE inside that PE's own process: what a backend brings to {@link
 * AbstractSymmetricHeapContract}. It travels by class name and is made by a constructor without
 * arguments.
 */
public interface HeapMaker {
  /**
   * Opens the heap.
   *
   * @param pe number of this process
   * @param peCount number of processes
   * @param folder an empty folder that all of them share
   * @param windowBytes the window's length, a multiple of 2 MiB
   * @return the open heap
   * @throws Exception when it cannot be opened, which fails the test
   */
  SymmetricHeap make(int pe, int peCount, Path folder, long windowBytes) throws Exception;
}
