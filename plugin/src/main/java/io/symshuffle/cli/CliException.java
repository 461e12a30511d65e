// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import static java.util.Objects.requireNonNull;

/**
 * The end of a command that the user can understand and mend: printed as its message alone, without
 * a stack trace unless {@code --debug} is given.
 */
public class CliException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitStatus;

  /**
   * Ends the command with exit status 1.
   *
   * @param message sentences that say what went wrong and what to do
   */
  public CliException(String message) {
    this(message, 1, null);
  }

  /**
   * Ends the command with exit status 1.
   *
   * @param message sentences that say what went wrong and what to do
   * @param cause what {@code --debug} shows, or null
   */
  public CliException(String message, Throwable cause) {
    this(message, 1, cause);
  }

  private CliException(String message, int exitStatus, Throwable cause) {
    super(requireNonNull(message, "message is null"), cause);
    this.exitStatus = exitStatus;
  }

  /**
   * Ends the command with exit status 2: the command line asked for something that cannot be.
   *
   * @param message sentences that say what is wrong and what is allowed
   * @return the exception, to be thrown
   */
  public static CliException wrongUsage(String message) {
    return new CliException(message, 2, null);
  }

  /**
   * What the process ends with.
   *
   * @return 1 or 2
   */
  public int exitStatus() {
    return exitStatus;
  }
}
