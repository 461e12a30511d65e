// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Finds the key that a user meant and mistyped. */
final class NearestKey {
  private NearestKey() {}

  /**
   * Returns the known key with the smallest edit distance to the unknown one. Letter case, dots,
   * dashes and underscores don't count, and a missing or surplus ending counts as one edit.
   */
  static String of(String unknown, Collection<String> known) {
    String letters = letters(unknown);
    return known.stream()
        .min(
            Comparator.comparingInt((String key) -> edits(letters, letters(key)))
                .thenComparingInt(key -> distance(letters, letters(key)))
                .thenComparing(Comparator.naturalOrder()))
        .orElseThrow(() -> new IllegalArgumentException("there are no known keys"));
  }

  private static String letters(String key) {
    return key.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
  }

  private static int edits(String a, String b) {
    int distance = distance(a, b);
    return a.startsWith(b) || b.startsWith(a) ? Math.min(distance, 1) : distance;
  }

  private static int distance(String a, String b) {
    return LevenshteinDistance.getDefaultInstance().apply(a, b);
  }
}
