// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TableEnginesTest {
  private final List<String> told = new ArrayList<>();

  @BeforeEach
  void start() {
    TableEngines.onUnavailable(reason -> {});
  }

  @AfterEach
  void end() {
    TableEngines.onUnavailable(reason -> {});
    TableEngines.unavailable("the test has ended");
  }

  @Test
  void tellsTheEngineToUseTheHost() {
    TableEngines.install(engine("first"));
    TableEngines.returnToHost("a GPU is full");
    assertEquals(List.of("first"), told);
    assertEquals(Optional.empty(), TableEngines.current());
    assertEquals(
        "this executor cannot shuffle tables on the GPU: tables go through the host now: a GPU is"
            + " full",
        assertThrows(IllegalStateException.class, TableEngines::require).getMessage());
  }

  @Test
  void tellsAnEngineThatIsReadyTooLate() {
    TableEngines.returnToHost("a GPU is full");
    TableEngines.install(engine("late"));
    assertEquals(List.of("late"), told);
    assertEquals(Optional.empty(), TableEngines.current());
  }

  @Test
  void nextApplicationOfTheProcessUsesItsEngine() {
    TableEngines.returnToHost("a GPU is full");
    TableEngines.onUnavailable(reason -> {});
    TableEngine next = engine("next");
    TableEngines.install(next);
    assertSame(next, TableEngines.require());
    assertEquals(List.of(), told);
  }

  private TableEngine engine(String name) {
    return (TableEngine)
        Proxy.newProxyInstance(
            TableEngine.class.getClassLoader(),
            new Class<?>[] {TableEngine.class},
            (engine, method, arguments) ->
                switch (method.getName()) {
                  case "returnToHost" -> {
                    told.add(name);
                    yield null;
                  }
                  default -> throw new AssertionError(method);
                });
  }
}
