// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import io.symshuffle.plugin.membership.Message.StartReport;
import io.symshuffle.plugin.usage.UsageReport;

/**
 * Follows on the driver what happens to the application's executors. Called from Spark's RPC and
 * listener threads, so it must be thread-safe and must not wait.
 */
public interface MembershipListener {
  /** An executor has joined, possibly again. */
  default void joined(Member member) {}

  /**
   * An executor has reported how its start went.
   *
   * @param report the report; its executor may have failed to join
   */
  default void started(StartReport report) {}

  /** An executor uses the host heap because it has no device heap. */
  default void usesHostHeap(String executorId, String reason) {}

  /** An executor cannot keep RAPIDS' tables on its GPU. */
  default void tablesUnavailable(String executorId, String reason) {}

  /** An executor has reported what it holds and has done. */
  default void used(UsageReport report) {}

  /**
   * Spark removed an executor, which may never have joined. May be called twice for the same
   * executor: when a decommissioned executor stops, and when its process has ended.
   */
  default void lost(String executorId) {}
}
