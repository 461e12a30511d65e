// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import java.io.IOException;
import java.util.ServiceLoader;

/**
 * Wraps parts of the shuffle on one executor, so that tests can inject faults where data is stored,
 * published, read and sent. The product contains no wrapper; a test jar provides one as a service,
 * and {@link #KEY} enables it. Thread-safe.
 */
public interface PartWrapper {
  /**
   * The internal setting that enables a wrapper. It is not documented for users; the wrapper
   * defines its value.
   */
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
   * @param part the product's implementation
   * @return the part to use; {@code part} itself if there is nothing to wrap
   */
  <T> T wrap(Class<T> type, T part);

  /** Creates wrappers. */
  interface Factory {
    /**
     * Creates the wrapper of an executor that is about to start.
     *
     * @param text the value of {@link PartWrapper#KEY}
     * @param mayKill whether the wrapper may kill the process
     * @throws IOException if the executor must not start
     * @throws IllegalArgumentException if the value cannot be parsed
     */
    PartWrapper create(String text, String executorId, boolean mayKill) throws IOException;
  }

  /**
   * Loads the wrapper of this process, see {@link Factory#create}.
   *
   * @throws IllegalStateException if no jar provides one
   */
  static PartWrapper load(String text, String executorId, boolean mayKill) throws IOException {
    return ServiceLoader.load(Factory.class, PartWrapper.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    KEY + " is set, but no jar on the class path provides faults"))
        .create(text, executorId, mayKill);
  }
}
