// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.util.List;

/**
 * Calls that need native memory. Java limits the memory of direct buffers, and Java 21 counts all
 * native memory of arenas as such. Spark ends an executor on an {@link OutOfMemoryError}, even if
 * it is only the cause of another exception. So these calls throw an exception with the remedy and
 * without a cause.
 */
public final class DirectMemory {
  /** How the message of {@code java.nio.Bits} begins when the limit is reached. */
  private static final String LIMIT_REACHED = "Cannot reserve";

  /** Parts of the JVM's messages about the Java heap. */
  private static final List<String> JAVA_HEAP =
      List.of("Java heap space", "GC overhead", "array size");

  private DirectMemory() {}

  /** A call that allocates native memory, itself or inside of the JDK. */
  @FunctionalInterface
  public interface Call<T, E extends Exception> {
    /**
     * Makes the call.
     *
     * @throws E if it fails for another reason
     */
    T make() throws E;
  }

  /**
   * Makes a call that allocates native memory.
   *
   * @param what what needs the memory, with %d for its size
   * @throws IllegalStateException if there is too little native memory, with the remedy; not an
   *     {@code IOException}, since neither a file nor another executor is to blame
   * @throws E what the call throws
   */
  public static <T, E extends Exception> T require(String what, long bytes, Call<T, E> call)
      throws E {
    return require(what, bytes, "", call);
  }

  /** As above, with a setting that needs less memory if it is lowered. */
  public static <T, E extends Exception> T require(
      String what, long bytes, String setting, Call<T, E> call) throws E {
    try {
      return call.make();
    } catch (OutOfMemoryError e) {
      String reason = String.valueOf(e.getMessage());
      if (JAVA_HEAP.stream().anyMatch(reason::contains)) {
        throw e;
      }
      throw new IllegalStateException(
          (reason.startsWith(LIMIT_REACHED)
                  ? "no direct memory for %s: raise -XX:MaxDirectMemorySize in"
                      + " spark.executor.extraJavaOptions%s (%s)"
                  : "no native memory for %s: raise spark.executor.memoryOverhead%s (%s)")
              .formatted(
                  what.formatted(bytes), setting.isEmpty() ? "" : ", or lower " + setting, reason));
    }
  }
}
