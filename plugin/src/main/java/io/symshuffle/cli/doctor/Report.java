// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What all checks found.
 *
 * @param results in the order of the checks
 */
record Report(List<Result> results) {
  private static final int WIDTH = 96;
  private static final String INDENT = " ".repeat(6);

  /**
   * A finding and where it comes from.
   *
   * @param check the check's title
   * @param finding what it found
   */
  record Result(String check, Finding finding) {}

  Report {
    results = List.copyOf(results);
  }

  static Report of(List<Check> checks, Host host) {
    List<Result> results = new ArrayList<>();
    for (Check check : checks) {
      check.examine(host).forEach(finding -> results.add(new Result(check.title(), finding)));
    }
    return new Report(results);
  }

  long count(State state) {
    return results.stream().filter(result -> result.finding().state() == state).count();
  }

  private Optional<Finding> worst(String check) {
    return results.stream()
        .filter(result -> result.check().equals(check))
        .map(Result::finding)
        .max((a, b) -> a.state().compareTo(b.state()));
  }

  /** {@return what will work, in sentences} */
  List<String> abilities() {
    Optional<Finding> hostHeap = worst(new HostHeapCheck().title());
    boolean host = hostHeap.filter(f -> f.state() == State.OK).isPresent();
    Optional<Finding> device = worst(new DeviceHeapCheck().title());
    boolean gpu = device.filter(f -> f.state() == State.OK).isPresent();
    String start = count(State.FAIL) > 0 ? "not before what is marked FAIL is mended" : "yes";
    return List.of(
        "Applications with SymShuffle start: " + start + ".",
        "Executors of this host read each other's map outputs in place: "
            + (host ? "yes." : "no, " + hostHeap.map(Finding::found).orElse("not tried") + "."),
        "Shuffles through GPU memory: "
            + (gpu ? "yes." : "no, " + device.map(Finding::found).orElse("not tried") + "."));
  }

  String text() {
    StringBuilder text = new StringBuilder();
    int width = results.stream().mapToInt(r -> r.check().length()).max().orElse(0);
    String last = "";
    for (Result result : results) {
      Finding finding = result.finding();
      String title = result.check().equals(last) ? "" : result.check();
      last = result.check();
      String head =
          "%-4s  %s  ".formatted(finding.state(), title + " ".repeat(width - title.length()));
      text.append(wrapped(head, " ".repeat(head.length()), finding.found()));
      finding.ailment().ifPresent(ailment -> text.append(explained(ailment)));
    }
    text.append('\n');
    abilities().forEach(line -> text.append(wrapped("", "  ", line)));
    text.append(
        "%n%d fine, %d skipped, %s, %s.%n"
            .formatted(
                count(State.OK),
                count(State.SKIP),
                counted(count(State.WARN), "warning"),
                counted(count(State.FAIL), "failure")));
    return text.toString();
  }

  private static String counted(long n, String what) {
    return n + " " + what + (n == 1 ? "" : "s");
  }

  private static String explained(Ailment ailment) {
    return wrapped(INDENT + "symptom  ", INDENT + " ".repeat(9), ailment.symptom())
        + wrapped(INDENT + "cause    ", INDENT + " ".repeat(9), ailment.cause())
        + wrapped(INDENT + "remedy   ", INDENT + " ".repeat(9), ailment.remedy());
  }

  private static String wrapped(String head, String indent, String sentence) {
    StringBuilder text = new StringBuilder();
    StringBuilder line = new StringBuilder(head);
    int start = line.length();
    for (String word : sentence.trim().split("\\s+", -1)) {
      if (line.length() > start && line.length() + word.length() >= WIDTH) {
        text.append(line.toString().stripTrailing()).append('\n');
        line = new StringBuilder(indent);
        start = line.length();
      }
      line.append(word).append(' ');
    }
    return text.append(line.toString().stripTrailing()).append('\n').toString();
  }

  String json() {
    return JsonText.of(
            JsonText.object(
                "ok", count(State.FAIL) == 0,
                "fine", count(State.OK),
                "skipped", count(State.SKIP),
                "warnings", count(State.WARN),
                "failures", count(State.FAIL),
                "abilities", abilities(),
                "findings", results.stream().map(Report::json).toList()))
        + "\n";
  }

  private static Map<String, Object> json(Result result) {
    Finding finding = result.finding();
    Map<String, Object> object =
        JsonText.object(
            "check", result.check(),
            "state", finding.state().name().toLowerCase(Locale.ROOT),
            "found", finding.found());
    finding
        .ailment()
        .ifPresent(
            ailment ->
                object.putAll(
                    JsonText.object(
                        "id", ailment.id(),
                        "symptom", ailment.symptom(),
                        "cause", ailment.cause(),
                        "remedy", ailment.remedy())));
    return object;
  }
}
