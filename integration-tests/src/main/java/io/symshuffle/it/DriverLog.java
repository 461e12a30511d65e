// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.nio.file.Path;

/**
 * Writes this JVM's log to a file until {@link #close()}. The routing appender of {@code
 * log4j2-test.properties} reads a system property for each line; with another log configuration,
 * there is no file.
 */
final class DriverLog implements AutoCloseable {
  private static final String PROPERTY = "symshuffle.it.driverLog";

  DriverLog(Path file) {
    System.setProperty(PROPERTY, file.toString());
  }

  @Override
  public void close() {
    System.clearProperty(PROPERTY);
  }
}
