// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.membership;

import io.symshuffle.plugin.membership.Message.Lookup;
import io.symshuffle.plugin.membership.Message.Update;
import java.io.IOException;
import java.time.Duration;

/** Asks the driver about an executor that this one does not know and a task needs. */
final class MembershipLookup implements MembershipView.Source {
  /** A task waits for the answer, and can use the block transfer without it. */
  private static final Duration MAX_LIMIT = Duration.ofSeconds(5);

  private final DriverLink link;
  private final Duration limit;

  MembershipLookup(DriverLink link, Duration joinTimeout) {
    this.link = link;
    this.limit = joinTimeout.compareTo(MAX_LIMIT) < 0 ? joinTimeout : MAX_LIMIT;
  }

  @Override
  public MembershipChange changesSince(String executorId, long since) throws Exception {
    Message answer = link.ask(new Lookup(executorId, since), limit);
    if (answer instanceof Update(MembershipChange change)) {
      return change;
    }
    throw new IOException("The driver answered a lookup with " + answer.getClass().getSimpleName());
  }
}
