// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import java.util.List;

/**
 * The entries of the table of PEs that changed after one epoch and up to another.
 *
 * @param since the epoch that the receiver should know already; 0: none, this is the whole table
 * @param epoch the epoch that the receiver knows afterwards
 * @param members the entries changed in between, as they are now
 */
public record TableChange(long since, long epoch, List<Member> members) {
  /** Checks the epochs. */
  public TableChange {
    members = List.copyOf(members);
    if (since < 0 || epoch < since) {
      throw new IllegalArgumentException(
          "A table cannot change from epoch %d to epoch %d".formatted(since, epoch));
    }
    for (Member member : members) {
      if (member.changed() <= since || member.changed() > epoch) {
        throw new IllegalArgumentException(
            "PE %d changed in epoch %d, which is not after %d and up to %d"
                .formatted(member.pe(), member.changed(), since, epoch));
      }
    }
  }
}
