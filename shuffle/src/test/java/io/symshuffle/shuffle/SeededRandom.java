// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import java.util.Random;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/** Provides a {@link Random} to tests, and reports its seed if a test fails. */
public final class SeededRandom implements ParameterResolver, TestExecutionExceptionHandler {
  private static final Namespace NAMESPACE = Namespace.create(SeededRandom.class);
  private static final String SEED = "symshuffle.test.seed";

  /** Attached to a failure to report the seed. */
  private static final class Seed extends Exception {
    private static final long serialVersionUID = 1L;

    Seed(long seed) {
      super("the seed was %d; to reproduce: -D%s=%d".formatted(seed, SEED, seed), null);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == Random.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    long seed = Long.getLong(SEED, System.nanoTime());
    test.getStore(NAMESPACE).put(SEED, seed);
    return new Random(seed);
  }

  @Override
  public void handleTestExecutionException(ExtensionContext test, Throwable failure)
      throws Throwable {
    Long seed = test.getStore(NAMESPACE).get(SEED, Long.class);
    if (seed != null) {
      failure.addSuppressed(new Seed(seed));
    }
    throw failure;
  }
}
