// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import org.junit.jupiter.api.Nested;

/** The SQL suites on device heaps of two real GPUs. */
class GpuSqlIT {
  @Nested
  @OnGpus
  class Types extends TypesSuite implements RowsOnGpus {}

  @Nested
  @OnGpus
  class Exchanges extends ExchangesSuite implements RowsOnGpus {}

  @Nested
  @OnGpus
  class Adaptive extends AdaptiveSuite implements RowsOnGpus {}

  @Nested
  @OnGpus
  class Queries extends QueriesSuite implements RowsOnGpus {}
}
