// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

/**
 * What to say when the JVM has no direct memory left; Java 21 counts all native memory as such.
 * Spark ends an executor because of Java's error, also if it is only the cause of another
 * exception. So throw one with this message, and without the error as its cause.
 */
public final class DirectMemory {
  private static final String SHORTAGE =
      "no direct memory for %s: raise -XX:MaxDirectMemorySize in spark.executor.extraJavaOptions%s"
          + " (%s)";

  private DirectMemory() {}

  /**
   * Says which memory is missing and what to do.
   *
   * @param what what needs the memory, with its size
   */
  public static String shortage(String what, OutOfMemoryError e) {
    return SHORTAGE.formatted(what, "", e.getMessage());
  }

  /**
   * Says which memory is missing and what to do.
   *
   * @param what what needs the memory, with its size
   * @param setting a setting that needs less memory if it is lowered
   */
  public static String shortage(String what, String setting, OutOfMemoryError e) {
    return SHORTAGE.formatted(what, ", or lower " + setting, e.getMessage());
  }
}
