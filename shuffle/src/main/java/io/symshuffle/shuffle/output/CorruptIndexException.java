// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;

/** The index of a map output is torn, damaged or belongs to another map output. */
public final class CorruptIndexException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CorruptIndexException(MapOutputId id, String found) {
    super("index of " + id + ": " + found);
  }
}
