// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.symshuffle.cli.Terminal;
import io.symshuffle.cli.Terminal.Color;
import io.symshuffle.cli.doctor.Finding.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What all checks found.
 *
 * @param results the findings, in the order of the checks
 * @param abilities what will work, in sentences
 */
record Report(List<Result> results, List<String> abilities) {
  /** All checks, in display order. */
  static final List<Check> CHECKS =
      Stream.of(
              JavaChecks.ALL,
              SparkChecks.ALL,
              TuningChecks.ALL,
              MemoryChecks.ALL,
              NetworkChecks.ALL,
              GpuChecks.ALL,
              PinnedMemoryChecks.ALL,
              NvshmemChecks.ALL,
              CudaHeapChecks.ALL)
          .flatMap(List::stream)
          .toList();

  private static final String INDENT = " ".repeat(6);

  record Result(String check, Finding finding) {}

  static Report of(Host host) {
    List<Result> results = new ArrayList<>();
    for (Check check : CHECKS) {
      check.examine(host).forEach(finding -> results.add(new Result(check.title(), finding)));
    }
    return new Report(results, new Conclusions(host, results).sentences());
  }

  long count(State state) {
    return results.stream().filter(result -> result.finding().state() == state).count();
  }

  /** The findings as text for this output. */
  String text(Terminal terminal) {
    StringBuilder text = new StringBuilder();
    int columns = terminal.columns();
    int width = results.stream().mapToInt(r -> r.check().length()).max().orElse(0);
    String last = "";
    for (Result result : results) {
      Finding finding = result.finding();
      String title = result.check().equals(last) ? "" : result.check();
      last = result.check();
      String head =
          "%-4s  %s  ".formatted(finding.state(), title + " ".repeat(width - title.length()));
      String state = finding.state().toString();
      text.append(painted(terminal, finding.state()))
          .append(
              Terminal.wrapped(head, " ".repeat(head.length()), finding.found(), columns)
                  .substring(state.length()));
      finding.problem().ifPresent(problem -> text.append(explained(problem, columns)));
    }
    text.append('\n');
    abilities.forEach(line -> text.append(Terminal.wrapped("", "  ", line, columns)));
    text.append(
        "%n%d OK, %d skipped, %s, %s.%n"
            .formatted(
                count(State.OK),
                count(State.SKIP),
                counted(count(State.WARN), "warning"),
                counted(count(State.FAIL), "failure")));
    return text.toString();
  }

  private static String counted(long n, String noun) {
    return n + " " + noun + (n == 1 ? "" : "s");
  }

  private static String painted(Terminal terminal, State state) {
    return switch (state) {
      case OK -> terminal.paint(Color.GOOD, state.toString());
      case SKIP -> state.toString();
      case WARN -> terminal.paint(Color.WARNING, state.toString());
      case FAIL -> terminal.paint(Color.BAD, state.toString());
    };
  }

  private static String explained(KnownProblem problem, int columns) {
    String indent = INDENT + " ".repeat(9);
    return Terminal.wrapped(INDENT + "symptom  ", indent, problem.symptom(), columns)
        + Terminal.wrapped(INDENT + "cause    ", indent, problem.cause(), columns)
        + Terminal.wrapped(INDENT + "remedy   ", indent, problem.remedy(), columns);
  }

  ObjectNode json() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("ok", count(State.FAIL) == 0)
            .put("fine", count(State.OK))
            .put("skipped", count(State.SKIP))
            .put("warnings", count(State.WARN))
            .put("failures", count(State.FAIL));
    abilities.forEach(json.putArray("abilities")::add);
    results.stream().map(Report::json).forEach(json.putArray("findings")::add);
    return json;
  }

  private static ObjectNode json(Result result) {
    Finding finding = result.finding();
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("check", result.check())
            .put("state", finding.state().name().toLowerCase(Locale.ROOT))
            .put("found", finding.found());
    finding
        .problem()
        .ifPresent(
            problem ->
                json.put("id", problem.id())
                    .put("symptom", problem.symptom())
                    .put("cause", problem.cause())
                    .put("remedy", problem.remedy()));
    return json;
  }
}
