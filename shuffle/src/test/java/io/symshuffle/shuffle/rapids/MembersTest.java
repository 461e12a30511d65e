// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class MembersTest {
  /** As Scala compiles an object with a value. */
  private static final class Single {
    private static boolean usesGpu = true;
  }

  /** As Scala compiles an iterator that uses a function. */
  private static final class Partitioned {
    private final Supplier<String> getParts$1;

    Partitioned(Supplier<String> getParts) {
      this.getParts$1 = getParts;
    }
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

  @Test
  void setsFieldsThatAreNotVariable() throws RapidsMismatchException {
    Partitioned partitioned = new Partitioned(() -> "before");
    members
        .privateSetter(Partitioned.class, "getParts$1", Supplier.class)
        .call(partitioned, (Supplier<String>) () -> "after");
    assertEquals("after", partitioned.getParts$1.get());
  }

  @Test
  void findsVariablesOfLambdas() {
    StringBuilder variable = new StringBuilder("captured");
    int other = variable.length();
    Supplier<String> lambda = () -> variable.toString() + other;
    assertEquals(Optional.of(variable), Members.captured(lambda, CharSequence.class));
    assertEquals(Optional.empty(), Members.captured(lambda, List.class));
  }
}
