// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.cuda.CudaContext;
import java.nio.file.Path;

/**
 * Opens the device heap of one PE in that PE's process: what a backend provides to {@link
 * AbstractDeviceHeapContract}. It is passed by class name and created by its constructor without
 * arguments.
 */
public interface DeviceHeapMaker {
  /**
   * A PE of a device heap.
   *
   * @param heap the heap
   * @param context the context of the PE's GPU
   */
  record Pe(DeviceHeap heap, CudaContext context) {}

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
  Pe make(int pe, int peCount, Path folder, long windowBytes) throws Exception;
}
