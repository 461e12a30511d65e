// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import org.junit.jupiter.api.Nested;

/** The SQL suites on host heaps, all in one application. */
class SqlIT {
  @Nested
  @OnHostHeaps
  class Types extends TypesSuite {}

  @Nested
  @OnHostHeaps
  class Exchanges extends ExchangesSuite {}

  @Nested
  @OnHostHeaps
  class Adaptive extends AdaptiveSuite {}

  @Nested
  @OnHostHeaps
  class Queries extends QueriesSuite {}

  @Nested
  @OnHostHeaps
  class Metrics extends MetricsSuite {}

  @Nested
  @OnHostHeaps
  class Plans extends PlansSuite {}

  @Nested
  @OnHostHeaps
  class Rdds extends RddSuite {}
}
