// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

/** How an executor reads and writes heaps. */
public enum HeapAccess {
  /** In whichever way is faster on this machine. */
  AUTO,
  /** In mapped memory. */
  MAPPED,
  /** With copies to and from the files, so that their pages are not mapped. */
  COPIED
}
