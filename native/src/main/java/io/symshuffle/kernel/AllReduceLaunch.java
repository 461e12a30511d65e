// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.Optional;
import java.util.OptionalInt;

/** A launch of one PE's part of an all-reduce. Queue it once: its number is used then. */
public final class AllReduceLaunch extends KernelLaunch {
  /** How many times the CTAs of a launch meet at most, as bits. */
  private static final int MEETING_BITS = 20;

  private OptionalInt latePe = OptionalInt.empty();

  AllReduceLaunch(KernelModule module, AllReduce a) {
    super(
        module,
        "symshuffle_all_reduce",
        module.ctaShape(a.ctas()),
        (long) a.memories().size() * Long.BYTES,
        to -> {
          for (int pe = 0; pe < a.memories().size(); pe++) {
            to.setAtIndex(JAVA_LONG, pe, a.memories().get(pe));
          }
        },
        place ->
            new KernelStruct.AllReduceArguments(
                place.tables(),
                place.status(),
                a.stop(),
                a.offset(),
                a.count(),
                a.number() << MEETING_BITS,
                a.limitNanoseconds(),
                a.type().code,
                a.operation().code,
                a.oneShot() ? 1 : 2,
                a.memories().size(),
                a.pe(),
                0));
  }

  @Override
  Optional<String> problem(KernelStatus status) {
    latePe =
        status.code() == KernelStatus.Code.LATE_PE
            ? OptionalInt.of(status.peer())
            : OptionalInt.empty();
    return super.problem(status);
  }

  /** Returns the PE that the kernel stopped waiting for, once {@link #check} has failed. */
  public OptionalInt latePe() {
    return latePe;
  }
}
