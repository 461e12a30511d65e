// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;

/** Says why a command failed, with a stack trace only if requested. */
public final class Failures {
  private Failures() {}

  /**
   * Describes why a file could not be read or written. The message of a {@link FileSystemException}
   * is often only the file's name.
   *
   * @return a sentence without its final period
   */
  public static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException missing -> missing.getFile() + " does not exist";
      case AccessDeniedException denied -> "no permission for " + denied.getFile();
      case FileAlreadyExistsException file -> file.getFile() + " exists already";
      case FileSystemException other when other.getReason() == null ->
          "%s (%s)".formatted(other.getFile(), other.getClass().getSimpleName());
      default -> e.getMessage() == null ? e.toString() : e.getMessage();
    };
  }

  /** Prints the failure and returns the exit status. */
  static int report(Throwable e, PrintWriter err, boolean debug) {
    int status = e instanceof CliException known ? known.exitStatus() : CommandLine.ExitCode.USAGE;
    if (TerminationHook.isEnding() && !debug) {
      // Ctrl-C also ends the processes that the command waits for, which is no news.
      return status;
    }
    boolean expected = e instanceof CliException;
    err.println("symshuffle: " + (expected ? e.getMessage() : "Unexpected error: " + e));
    if (debug) {
      e.printStackTrace(err);
    } else if (!expected) {
      err.println("Run it again with --debug to see the stack trace.");
    }
    return status;
  }
}
