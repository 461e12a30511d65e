// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.symshuffle.shuffle.directory.DirectoryEntry;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A reader that finds a map output sees everything that was written before it was published. */
@JCStressTest
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "not found yet")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "found, with its memory")
@Outcome(expect = FORBIDDEN, desc = "another place, or stale memory")
@State
public class PublishedEntry {
  private final MapOutputId id = Host.newId();
  private final IndexPlace place = new IndexPlace(OutputKind.ROWS, Tier.HOST, Host.arena(id), 8);

  public PublishedEntry() {
    Host.OWNER.set(ValueLayout.JAVA_LONG, place.offset(), 0);
  }

  @Actor
  public void owner() {
    Host.OWNER.set(ValueLayout.JAVA_LONG, place.offset(), id.mapId());
    Host.DIRECTORY.publish(id, place);
  }

  @Actor
  public void reader(II_Result result) {
    Optional<DirectoryEntry> found = Host.VIEW.find(id);
    if (found.isPresent()) {
      boolean right =
          found.get().place().equals(place)
              && Host.OWNER.get(ValueLayout.JAVA_LONG, place.offset()) == id.mapId();
      result.r1 = right ? 1 : 2;
    }
  }

  @Arbiter
  public void end(II_Result result) {
    result.r2 = Host.VIEW.find(id).isPresent() ? 1 : 0;
    Host.DIRECTORY.erase(id);
  }
}
