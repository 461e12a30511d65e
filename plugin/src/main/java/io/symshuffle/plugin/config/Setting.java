// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

/**
 * A setting, with all that reading it, its documentation and error messages need.
 *
 * @param key its full name, {@code spark.symshuffle.} and words in camel case separated by dots
 * @param type how it is written, and the allowed values
 * @param documentation one paragraph of Markdown for users: what it does and when to change it
 */
public record Setting<T>(
    String key, SettingType<T> type, T defaultValue, Scope scope, String documentation) {

  /** When a setting is read. */
  public enum Scope {
    /** Once, when the application starts; a later change has no effect. */
    START("at the start of the application"),
    /** At the start, and on each exchange by its session, as SQL settings are. */
    START_AND_SESSION("at the start of the application, and by each session for its exchanges");

    private final String text;

    Scope(String text) {
      this.text = text;
    }

    /** Returns the end of a sentence that begins with "Read". */
    public String text() {
      return text;
    }
  }

  /** Returns the default as a user would write it. */
  public String defaultText() {
    return type.format(defaultValue);
  }
}
