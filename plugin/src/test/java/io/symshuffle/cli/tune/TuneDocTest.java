// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.cli.SymShuffleCommand;
import io.symshuffle.cli.Terminal;
import io.symshuffle.docs.GeneratedPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Three outputs of {@code tune} in its page: what it says first, and the settings in a table. */
class TuneDocTest {
  private static final Map<String, String> CLUSTERS = clusters();

  private static Map<String, String> clusters() {
    Map<String, String> clusters = new LinkedHashMap<>();
    clusters.put("4 GPUs", "--gpus 4 --gpu-memory 80g --cores 64 --memory 512g");
    clusters.put("one L4", "--gpus 1 --gpu-memory 22g --cores 16 --memory 64g");
    clusters.put("8 hosts", "--nodes 8 --cores 16 --memory 128g");
    return clusters;
  }

  @Test
  void pageShowsWhatTunePrints() throws IOException {
    StringBuilder part = new StringBuilder();
    Map<String, Map<String, String>> values = new TreeMap<>();
    List<String> order = new ArrayList<>();
    CLUSTERS.forEach(
        (name, arguments) -> {
          String text = tune(arguments);
          part.append("\n    $ bin/symshuffle tune ").append(arguments).append('\n');
          text.lines()
              .takeWhile(line -> !line.isEmpty())
              .forEach(line -> part.append("    ").append(line).append('\n'));
          text.lines()
              .filter(line -> line.startsWith("spark."))
              .map(line -> line.split(" +", 2))
              .forEach(
                  setting -> {
                    if (!order.contains(setting[0])) {
                      order.add(setting[0]);
                    }
                    values
                        .computeIfAbsent(setting[0], key -> new TreeMap<>())
                        .put(name, setting[1]);
                  });
        });
    part.append("\nThe settings with numbers, whose reasons the command prints above each:\n\n");
    part.append(row("setting", List.copyOf(CLUSTERS.keySet())));
    part.append(row("---", CLUSTERS.keySet().stream().map(name -> "---").toList()));
    for (String key : order) {
      Map<String, String> of = values.get(key);
      if (of.values().stream().anyMatch(value -> value.matches(".*[0-9].*"))) {
        part.append(
            row(
                "`" + key + "`",
                CLUSTERS.keySet().stream()
                    .map(name -> of.containsKey(name) ? "`" + of.get(name) + "`" : "")
                    .toList()));
      }
    }
    GeneratedPage.assertPartUpToDate("tuning.md", "tune", part.append('\n').toString());
  }

  @Test
  void pageShowsWhatTuneFindsInLogs() throws IOException {
    StringBuilder part = new StringBuilder();
    for (String application : List.of("many-small-files", "small-heaps")) {
      part.append("\nIn the log of `%s`:\n\n".formatted(application));
      LogFindingsTest.findings(application)
          .forEach(finding -> part.append(Terminal.wrapped("* ", "  ", finding, 118)));
    }
    GeneratedPage.assertPartUpToDate("tuning.md", "findings", part.append('\n').toString());
  }

  private static String row(String first, List<String> others) {
    return others.stream().collect(Collectors.joining(" | ", "| " + first + " | ", " |\n"));
  }

  private static String tune(String arguments) {
    StringWriter out = new StringWriter();
    int status =
        SymShuffleCommand.commandLine(new PrintWriter(out, true), new PrintWriter(out, true), false)
            .execute(("tune " + arguments).split(" "));
    assertEquals(0, status, out.toString());
    return out.toString();
  }
}
