// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import io.symshuffle.plugin.bootstrap.Message.Lookup;
import io.symshuffle.plugin.bootstrap.Message.Table;
import java.io.IOException;
import java.time.Duration;

/** Asks the driver about an executor that a task met and this one does not know. */
final class TableSource implements MembershipView.Source {
  /** A task waits for it, and the block transfer is there if there is no answer. */
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final DriverLink link;
  private final Duration limit;

  TableSource(DriverLink link, Duration joinTimeout) {
    this.link = link;
    this.limit = joinTimeout.compareTo(LONGEST) < 0 ? joinTimeout : LONGEST;
  }

  @Override
  public TableChange changesSince(String executorId, long since) throws Exception {
    Message answer = link.ask(new Lookup(executorId, since), limit);
    if (answer instanceof Table(TableChange change)) {
      return change;
    }
    throw new IOException(
        "The driver answered a question with " + answer.getClass().getSimpleName());
  }
}
