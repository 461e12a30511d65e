// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The SQL suites on device heaps of fake GPUs; {@link DeviceRowsIT} runs fewer queries there. */
@Tag("long")
class DeviceSqlIT {
  @Nested
  @OnFakeGpus
  class Types extends TypesSuite implements RowsOnGpus {}

  @Nested
  @OnFakeGpus
  class Exchanges extends ExchangesSuite implements RowsOnGpus {}

  @Nested
  @OnFakeGpus
  class Adaptive extends AdaptiveSuite implements RowsOnGpus {}

  @Nested
  @OnFakeGpus
  class Queries extends QueriesSuite implements RowsOnGpus {}
}
