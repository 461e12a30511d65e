// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.Map;
import java.util.Optional;

/**
 * The version of the SymShuffle jar of this process. Executors read each other's memory and
 * answers, whose layouts may differ between versions, so all must have the driver's.
 */
public final class JarVersion {
  private static final String KEY = "jar.version";

  private JarVersion() {}

  /** Returns the version; empty for classes that are not in a jar. */
  public static Optional<String> own() {
    return Optional.ofNullable(JarVersion.class.getPackage().getImplementationVersion())
        .or(() -> Optional.ofNullable(System.getProperty("symshuffle.version")));
  }

  /** Returns what the driver plugin passes to those of executors. */
  public static Map<String, String> forExecutors() {
    return own().map(version -> Map.of(KEY, version)).orElse(Map.of());
  }

  /**
   * Compares the driver's version with that of this executor.
   *
   * @param fromDriver what the driver plugin has passed
   * @return a sentence if they differ
   */
  public static Optional<String> mismatch(Map<String, String> fromDriver) {
    String ofDriver = fromDriver.get(KEY);
    return own()
        .filter(own -> ofDriver != null && !ofDriver.equals(own))
        .map(
            own ->
                "it has SymShuffle %s, but the driver has SymShuffle %s: put the same jar on all hosts or into the image of the executors"
                    .formatted(own, ofDriver));
  }
}
