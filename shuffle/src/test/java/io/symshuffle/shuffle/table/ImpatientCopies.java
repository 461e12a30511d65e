// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.kernel.Kernels;
import java.time.Duration;
import java.util.Optional;

/** Creates copies with a short timeout. */
public final class ImpatientCopies {
  private ImpatientCopies() {}

  /** Copies whose waits time out after {@code limit}. */
  public static TableCopies create(
      TableEngine engine, Kernels kernels, PinnedPool pool, Duration limit) {
    return new TableCopies(engine, Optional.of(kernels), Optional.of(pool), limit);
  }
}
