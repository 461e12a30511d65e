// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The SQL suites once more, with rows in device heaps, on fakes. */
class DeviceSqlIT {
  @Nested
  @OnFakeGpus
  class Types extends TypesIT implements RowsOnGpus {}

  @Nested
  @Tag("long")
  @OnFakeGpus
  class Exchanges extends ExchangeIT implements RowsOnGpus {}

  @Nested
  @OnFakeGpus
  class Adaptive extends AdaptiveIT implements RowsOnGpus {}

  @Nested
  @Tag("long")
  @OnFakeGpus
  class Queries extends QueriesIT implements RowsOnGpus {}
}
