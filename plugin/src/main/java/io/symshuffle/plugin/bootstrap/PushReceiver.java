// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.bootstrap.Message.End;
import io.symshuffle.plugin.bootstrap.Message.ShufflesOver;
import io.symshuffle.plugin.bootstrap.Message.Table;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an executor does with the driver's pushes. */
record PushReceiver(MembershipView view, ApplicationEnd end) implements Consumer<Message> {
  private static final Logger LOG = LoggerFactory.getLogger(PushReceiver.class);

  PushReceiver {
    requireNonNull(view, "view is null");
    requireNonNull(end, "end is null");
  }

  @Override
  public void accept(Message message) {
    LOG.debug("The driver pushed {}", message);
    switch (message) {
      case Table(TableChange change) -> view.apply(change);
      case ShufflesOver(List<Integer> ids) ->
          ShuffleRuntime.current().ifPresent(runtime -> ids.forEach(runtime::unregisterSoon));
      case End() -> end.announced();
      default ->
          LOG.warn("The driver pushed {}, which is no news", message.getClass().getSimpleName());
    }
  }
}
