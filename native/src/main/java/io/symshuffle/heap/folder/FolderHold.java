// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import io.symshuffle.ffi.NativeFile;

/**
 * Keeps an application's folder from being swept until this is closed or the process ends. Any
 * number of processes can hold a folder at the same time.
 */
public final class FolderHold implements AutoCloseable {
  private final NativeFile directory;

  /** Takes ownership of a directory whose shared lock is held. */
  FolderHold(NativeFile directory) {
    this.directory = directory;
  }

  /** Releases the folder. Further calls do nothing. */
  @Override
  public void close() {
    directory.close();
  }
}
