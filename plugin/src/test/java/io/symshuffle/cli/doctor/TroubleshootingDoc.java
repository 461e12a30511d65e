// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;

/** Generates {@code docs/troubleshooting.md} from the problems that the doctor knows. */
final class TroubleshootingDoc {
  private TroubleshootingDoc() {}

  /** Returns the page as Markdown. */
  static String markdown(List<Check> checks) {
    StringBuilder page =
        new StringBuilder(
            """
            # Troubleshooting

            <!-- Generated from io.symshuffle.cli.doctor by TroubleshootingDocTest. Do not edit. -->

            The doctor detects the problems on this page. Run it on the machines of the executors, as the user
            of the executors, with the settings of the application:

                bin/symshuffle doctor --properties-file $SPARK_HOME/conf/spark-defaults.conf

            Without a source tree, run `java -jar symshuffle-spark-4.2_2.13-<version>.jar doctor`, with
            `SPARK_HOME` set. Each problem has its `id` in the output of `doctor --json`, its symptom in bold,
            and then cause and remedy.
            """);
    for (Check check : checks) {
      page.append("\n## ").append(check.title()).append('\n');
      for (KnownProblem problem : check.problems()) {
        page.append("\n### `%s`\n\n".formatted(problem.id()))
            .append("**%s**\n\n".formatted(sentence(problem.symptom())))
            .append(sentence(problem.cause()))
            .append(' ')
            .append(sentence(problem.remedy()))
            .append('\n');
      }
    }
    return page.toString();
  }

  /** In Markdown, angle brackets mean HTML and asterisks emphasis. */
  private static String sentence(String text) {
    String escaped = text.replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*");
    return escaped + (text.endsWith("...") ? "" : ".");
  }
}
