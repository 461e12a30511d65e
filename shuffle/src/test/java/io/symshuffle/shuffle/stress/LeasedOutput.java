// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Either the owner sees the reader's lease, or the reader does not find the map output. */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "freed; not found")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "kept unnecessarily; not found")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "kept; found")
@Outcome(id = "0, 1", expect = FORBIDDEN, desc = "freed while it is read")
@State
public class LeasedOutput {
  private final MapOutputId id = Host.newId();
  private Lease lease;

  public LeasedOutput() {
    Host.DIRECTORY.publish(id, new IndexPlace(OutputKind.ROWS, Tier.HOST, 64, 64));
  }

  @Actor
  public void owner(II_Result result) {
    Host.DIRECTORY.erase(id);
    result.r1 = Host.READERS.isLeased(id.shuffleId()) ? 1 : 0;
  }

  @Actor
  public void reader(II_Result result) {
    lease = Host.LEASES.acquire(id.shuffleId());
    result.r2 = Host.VIEW.find(id).isPresent() ? 1 : 0;
  }

  @Arbiter
  public void end() {
    lease.close();
  }
}
