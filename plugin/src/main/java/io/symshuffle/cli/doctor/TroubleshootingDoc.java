// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;

/** Writes {@code docs/troubleshooting.md} from the doctor's table. */
final class TroubleshootingDoc {
  private TroubleshootingDoc() {}

  /** {@return Markdown, lines ended by {@code \n}} */
  static String markdown(List<Check> checks) {
    StringBuilder page =
        new StringBuilder(
            """
            # Troubleshooting

            <!-- Written from the checks in io.symshuffle.cli.doctor; a test compares. Do not edit. -->

            `bin/symshuffle doctor`, or `java -jar symshuffle-spark-4.2_2.13-<version>.jar doctor` on any machine,
            looks for all of this and says which of it you have. Run it where the executors run, as the user
            that they run as, with the settings of the application:

                bin/symshuffle doctor --properties-file $SPARK_HOME/conf/spark-defaults.conf

            Look here by what you see. The name before each entry is the `id` in the output of `doctor --json`.
            """);
    for (Check check : checks) {
      page.append("\n## ").append(check.title()).append('\n');
      for (Ailment ailment : check.ailments()) {
        page.append("\n### `%s`%n".formatted(ailment.id()))
            .append("\n* **You see:** ")
            .append(ailment.symptom())
            .append('.')
            .append("\n* **Because** ")
            .append(ailment.cause())
            .append('.')
            .append("\n* **Do:** ")
            .append(escaped(ailment.remedy()))
            .append(".\n");
      }
    }
    return page.toString();
  }

  /** Markdown would take what stands between angle brackets for HTML, and stars for emphasis. */
  private static String escaped(String text) {
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*");
  }
}
