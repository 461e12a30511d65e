// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class MembersTest {
  /** As Scala compiles an object with a value. */
  private static final class Single {
    private static boolean usesGpu = true;
  }

  private final Members members = new Members(getClass().getClassLoader());

  @Test
  void setsStaticFieldsThatAreNotPublic() throws RapidsMismatchException {
    Single.usesGpu = true;
    members.privateStaticSetter(Single.class, "usesGpu", boolean.class).call(false);
    assertFalse(Single.usesGpu);
  }

  @Test
  void namesFieldsThatAreMissing() {
    assertEquals(
        "it has no boolean Single.other()",
        assertThrows(
                RapidsMismatchException.class,
                () -> members.privateStaticSetter(Single.class, "other", boolean.class))
            .getMessage());
  }
}
