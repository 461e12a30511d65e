// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

/**
 * Ends a command with a message that the user can act on. It is printed without a stack trace,
 * unless {@code --debug} is given.
 *
 * <p>The exit status is 2 if the command could not run: a wrong option, a missing file, an
 * application that does not start. It is 1 if the command ran and found a problem: see {@link
 * #problem}.
 */
public class CliException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitStatus;

  /**
   * Ends the command with exit status 2: it could not run.
   *
   * @param message sentences that say what failed and what to do
   */
  public CliException(String message) {
    this(message, 2, null);
  }

  /**
   * Ends the command with exit status 2: it could not run.
   *
   * @param message sentences that say what failed and what to do
   * @param cause shown with {@code --debug}; or null
   */
  public CliException(String message, Throwable cause) {
    this(message, 2, cause);
  }

  private CliException(String message, int exitStatus, Throwable cause) {
    super(message, cause);
    this.exitStatus = exitStatus;
  }

  /**
   * Ends the command with exit status 1: it ran and found a problem.
   *
   * @param message sentences that say what is wrong and what to do
   */
  public static CliException problem(String message) {
    return new CliException(message, 1, null);
  }

  /**
   * Ends the command with exit status 2: the command cannot run as requested.
   *
   * @param message sentences that say what is wrong and what is allowed
   */
  public static CliException wrongUsage(String message) {
    return new CliException(message, 2, null);
  }

  /**
   * Checks the value of an option.
   *
   * @param value null if it is not given, which is allowed
   * @throws CliException if the value is less than 1
   */
  public static void checkAtLeast1(String option, Number value) {
    if (value != null && value.longValue() < 1) {
      throw wrongUsage("%s is %d; it must be at least 1.".formatted(option, value));
    }
  }

  /**
   * Checks the value of an option.
   *
   * @param value null if it is not given, which is allowed
   * @throws CliException if the value is not from {@code least} to {@code most}
   */
  public static void checkRange(String option, Number value, long least, long most) {
    if (value != null && (value.longValue() < least || value.longValue() > most)) {
      throw wrongUsage("%s is %d; it must be from %d to %d.".formatted(option, value, least, most));
    }
  }

  /**
   * Checks that an option that the user gives has an effect.
   *
   * @param value null if it is not given
   * @param needed what gives it an effect
   * @throws CliException if it is given and has none
   */
  public static void checkEffect(String option, Object value, boolean hasEffect, String needed) {
    if (value != null && !hasEffect) {
      throw wrongUsage("%s has no effect without %s.".formatted(option, needed));
    }
  }

  /** Returns the exit status of the process, 1 or 2. */
  public int exitStatus() {
    return exitStatus;
  }
}
