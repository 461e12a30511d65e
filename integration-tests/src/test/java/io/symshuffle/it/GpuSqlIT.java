// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import org.junit.jupiter.api.Nested;

/** The SQL suites once more, with rows in the memory of two real GPUs. */
class GpuSqlIT {
  @Nested
  @OnGpus
  class Types extends TypesIT implements RowsOnGpus {}

  @Nested
  @OnGpus
  class Exchanges extends ExchangeIT implements RowsOnGpus {}

  @Nested
  @OnGpus
  class Adaptive extends AdaptiveIT implements RowsOnGpus {}

  @Nested
  @OnGpus
  class Queries extends QueriesIT implements RowsOnGpus {}
}
