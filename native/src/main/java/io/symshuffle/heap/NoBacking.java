// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/** Memory that is always reserved. */
enum NoBacking implements SlabBacking {
  INSTANCE;

  @Override
  public boolean reserve(long offset, long bytes) {
    return true;
  }

  @Override
  public void release(long offset, long bytes) {}
}
