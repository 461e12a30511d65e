// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Java versions that are too old, or corrupt data silently. */
public final class JavaDefects {
  /** The oldest version of Java that SymShuffle runs on. */
  public static final int OLDEST_JAVA = 21;

  /** The option that enables compact object headers. */
  public static final String COMPACT_HEADERS = "-XX:+UseCompactObjectHeaders";

  private static final String NO_COMPACT_HEADERS = "-XX:-UseCompactObjectHeaders";
  private static final Runtime.Version FIXED_G1 = Runtime.Version.parse("25.0.3");

  private JavaDefects() {}

  /** Returns whether the G1 collector of a version corrupts data (JDK-8377811). */
  public static boolean hasFaultyG1(Runtime.Version version) {
    return version.feature() == FIXED_G1.feature() && version.compareToIgnoreOptional(FIXED_G1) < 0;
  }

  /** Returns whether compact object headers of a version corrupt arrays (JDK-8380060). */
  public static boolean hasFaultyCompactHeaders(Runtime.Version version) {
    // The option exists since 24. It was fixed in 27; no update of an older release has the fix.
    return version.feature() >= 24 && version.feature() < 27;
  }

  /** Returns what is wrong with the Java of this process, a sentence each, with the remedy. */
  public static List<String> ofThisProcess() {
    boolean g1 =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .anyMatch(collector -> collector.getName().startsWith("G1 "));
    List<String> arguments = ManagementFactory.getRuntimeMXBean().getInputArguments();
    boolean compactHeaders =
        arguments.lastIndexOf(COMPACT_HEADERS) > arguments.lastIndexOf(NO_COMPACT_HEADERS);
    return of(Runtime.version(), g1, compactHeaders);
  }

  static List<String> of(Runtime.Version version, boolean g1, boolean compactHeaders) {
    List<String> found = new ArrayList<>();
    if (g1 && hasFaultyG1(version)) {
      found.add(
          "Java %s corrupts data silently with the G1 collector (JDK-8377811): use 25.0.3 or later."
              .formatted(version));
    }
    if (compactHeaders && hasFaultyCompactHeaders(version)) {
      found.add(
          "Java %s corrupts data silently with %s (JDK-8380060): remove the option."
              .formatted(version, COMPACT_HEADERS));
    }
    return found;
  }
}
