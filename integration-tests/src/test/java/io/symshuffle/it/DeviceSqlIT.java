// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The SQL suites on device heaps of fake GPUs; {@link DeviceRowsIT} runs fewer queries there. */
class DeviceSqlIT {
  @Nested
  @Tag("long")
  @OnFakeGpus
  class Types extends TypesSuite implements RowsOnGpus {}

  @Nested
  @Tag("long")
  @OnFakeGpus
  class Exchanges extends ExchangesSuite implements RowsOnGpus {}

  @Nested
  @Tag("long")
  @OnFakeGpus
  class Adaptive extends AdaptiveSuite implements RowsOnGpus {}

  @Nested
  @Tag("long")
  @OnFakeGpus
  class Queries extends QueriesSuite implements RowsOnGpus {}
}
