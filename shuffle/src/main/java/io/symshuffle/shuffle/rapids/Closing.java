// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import java.util.ArrayList;
import java.util.List;

/** Objects of cuDF that are closed together, the last one first. Used by one thread. */
final class Closing implements AutoCloseable {
  private final List<AutoCloseable> objects = new ArrayList<>();

  /** Adds an object; returns it. */
  Object add(Object object) {
    objects.add((AutoCloseable) object);
    return object;
  }

  @Override
  public void close() {
    objects.reversed().forEach(RapidsEngine::close);
  }
}
