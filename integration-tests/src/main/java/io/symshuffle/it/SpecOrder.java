// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.util.Comparator;
import org.junit.jupiter.api.MethodDescriptor;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;

/**
 * Runs tests with the same application settings one after the other, those with the settings of
 * their class first, so that each application starts only once.
 */
public final class SpecOrder implements MethodOrderer {
  @Override
  public void orderMethods(MethodOrdererContext context) {
    context.getMethodDescriptors().sort(Comparator.comparing(SpecOrder::spec));
  }

  private static String spec(MethodDescriptor method) {
    return method.findAnnotation(SparkTest.class).map(SparkTest::toString).orElse("");
  }
}
