// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.List;
import java.util.Locale;

/** Generates {@code docs/configuration.md} from the table of settings. */
final class ConfigurationDoc {
  private static final int COLUMNS = 100;

  private ConfigurationDoc() {}

  /** Returns the page as Markdown. */
  static String markdown() {
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Configuration

        <!-- Generated from io.symshuffle.plugin.config.Settings by ConfigurationDocTest. Do not edit. -->

        One setting enables SymShuffle; the plugin sets the shuffle manager itself:

            --conf spark.plugins=io.symshuffle.SymShufflePlugin

        All settings below are optional, and are read at the start of the application unless noted. An
        invalid value, or an unknown key that starts with `spark.symshuffle.`, stops the application with
        a message that says what is allowed. Byte sizes need a unit (`64k`, `1m`, `2g`, `65536b`; powers
        of 1024), and so do durations (`500ms`, `30s`, `2min`).

        | setting | default |
        | --- | --- |
        """);
    for (Setting<?> setting : Settings.all()) {
      page.append(
          "| [`%s`](#%s) | `%s` |\n"
              .formatted(setting.key(), anchor(setting), setting.defaultText()));
    }
    for (Setting<?> setting : Settings.all()) {
      page.append(
          """

          ## `%s`

          %s

          Default: `%s`. Allowed: %s.
          """
              .formatted(
                  setting.key(),
                  wrapped(setting.documentation()),
                  setting.defaultText(),
                  allowed(setting)));
      if (setting.scope() != Setting.Scope.START) {
        page.append("Read %s.\n".formatted(setting.scope().text()));
      }
    }
    return page.toString();
  }

  /** Without the example of how to write it, which the page has at its start. */
  private static String allowed(Setting<?> setting) {
    return setting
        .type()
        .allowed()
        .replaceFirst(", written (with its unit )?like .* or \\d\\w+$", "");
  }

  private static String wrapped(String paragraph) {
    StringBuilder text = new StringBuilder();
    int column = 0;
    for (String word : List.of(paragraph.split(" "))) {
      boolean fits = column + 1 + word.length() <= COLUMNS;
      text.append(column == 0 ? "" : fits ? " " : "\n").append(word);
      column = (column == 0 || !fits ? 0 : column + 1) + word.length();
    }
    return text.toString();
  }

  // GitHub's anchor of a heading: lower case, without punctuation.
  private static String anchor(Setting<?> setting) {
    return setting.key().toLowerCase(Locale.ROOT).replace(".", "");
  }
}
