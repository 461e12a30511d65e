// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.nio.file.Path;

/**
 * Sends this JVM's log to a file from its making until {@link #close()}. The work is done by the
 * routing appender of {@code log4j2-test.properties}, which looks at a system property for each
 * line; with another log configuration the file stays away.
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
