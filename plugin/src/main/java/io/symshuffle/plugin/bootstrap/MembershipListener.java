// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;

/** Hears from Spark's scheduler when an executor is gone, and when the application ends. */
final class MembershipListener extends SparkListener {
  private final DriverDesk desk;
  private final MembershipPusher pusher;

  MembershipListener(DriverDesk desk, MembershipPusher pusher) {
    this.desk = requireNonNull(desk, "desk is null");
    this.pusher = requireNonNull(pusher, "pusher is null");
  }

  @Override
  public void onExecutorRemoved(SparkListenerExecutorRemoved event) {
    desk.lose(event.executorId());
  }

  // Comes before the executors are told to stop; the driver's own shutdown may come too late.
  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd event) {
    pusher.end();
  }
}
