// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

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

  // The Levenshtein distance, computed row by row.
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
