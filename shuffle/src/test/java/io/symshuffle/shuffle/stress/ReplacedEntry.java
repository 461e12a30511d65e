// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.DirectoryEntry;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.util.Optional;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A reader of a reused entry sees the old place, the new one or none, but never a mix. */
@JCStressTest
@Outcome(
    id = {"0, 0", "0, 2"},
    expect = ACCEPTABLE,
    desc = "erased at the first read")
@Outcome(
    id = {"1, 0", "1, 1", "1, 2"},
    expect = ACCEPTABLE,
    desc = "the old place at the first read")
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "the new place at both reads")
@Outcome(expect = FORBIDDEN, desc = "torn, damaged, or the old place after the new one")
@State
public class ReplacedEntry {
  private final MapOutputId id = Host.newId();
  private final IndexPlace before = new IndexPlace(OutputKind.ROWS, Tier.HOST, 1L << 40, 1 << 20);
  private final IndexPlace after = new IndexPlace(OutputKind.ROWS, Tier.DISK, 8, 1L << 41);

  public ReplacedEntry() {
    Host.DIRECTORY.publish(id, before);
  }

  @Actor
  public void owner() {
    Host.DIRECTORY.erase(id);
    Host.DIRECTORY.publish(id, after);
  }

  @Actor
  public void reader(II_Result result) {
    result.r1 = read();
    result.r2 = read();
  }

  private int read() {
    try {
      Optional<IndexPlace> found = Host.VIEW.find(id).map(DirectoryEntry::place);
      if (found.isEmpty()) {
        return 0;
      }
      return found.get().equals(before) ? 1 : found.get().equals(after) ? 2 : 3;
    } catch (CorruptControlException e) {
      return 4;
    }
  }

  @Arbiter
  public void end() {
    Host.DIRECTORY.erase(id);
  }
}
