// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.core;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.ServiceLoader;

/**
 * Wraps parts of the shuffle on one executor, so that tests can inject faults: where data is placed
 * and published, how it is read, and how it is sent. The product has no wrapper; a jar with tests
 * brings one as a service, and {@link #KEY} asks for it. Thread-safe.
 */
public interface PartWrapper {
  /** The internal setting, in no documentation for users; its value is the wrapper's. */
  String KEY = "spark.symshuffle.test.faults";

  /** Wraps nothing. */
  PartWrapper NONE =
      new PartWrapper() {
        @Override
        public <T> T wrap(Class<T> type, T part) {
          return part;
        }
      };

  /**
   * Wraps a part.
   *
   * @param type what kind of part it is
   * @param part the product's own
   * @return what is used instead; {@code part} itself if there is nothing to wrap
   */
  <T> T wrap(Class<T> type, T part);

  /** Creates wrappers. */
  interface Factory {
    /**
     * Creates the wrapper of an executor that is about to start.
     *
     * @param text the value of {@link PartWrapper#KEY}
     * @param executorId Spark's executor id
     * @param mayKill whether the process may be ended on purpose
     * @throws IOException if the executor is not to start
     * @throws IllegalArgumentException if the value cannot be read
     */
    PartWrapper create(String text, String executorId, boolean mayKill) throws IOException;
  }

  /**
   * Loads the wrapper of this process, see {@link Factory#create}.
   *
   * @throws IllegalStateException if no jar brings one
   */
  static PartWrapper load(String text, String executorId, boolean mayKill) throws IOException {
    requireNonNull(text, "text is null");
    return ServiceLoader.load(Factory.class, PartWrapper.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException(KEY + " is set, but no jar here has faults to inject"))
        .create(text, executorId, mayKill);
  }
}
