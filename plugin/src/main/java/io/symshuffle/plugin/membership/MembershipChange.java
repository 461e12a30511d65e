// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import java.io.Serializable;
import java.util.List;

/**
 * The entries of the membership that changed after one epoch and up to another.
 *
 * @param since the epoch that the receiver should already know; 0: none, this is everything
 * @param epoch the epoch that the receiver knows after this change
 * @param members the current state of the entries that changed in between
 */
public record MembershipChange(long since, long epoch, List<Member> members)
    implements Serializable {
  public MembershipChange {
    members = List.copyOf(members);
    if (since < 0 || epoch < since) {
      throw new IllegalArgumentException(
          "a membership cannot change from epoch %d to epoch %d".formatted(since, epoch));
    }
    for (Member member : members) {
      if (member.changed() <= since || member.changed() > epoch) {
        throw new IllegalArgumentException(
            "PE %d changed in epoch %d, which is not in the epochs from %d (exclusive) to %d"
                .formatted(member.pe(), member.changed(), since, epoch));
      }
    }
  }
}
