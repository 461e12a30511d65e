// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@code symshuffle demo} or {@code symshuffle bench tpcds} measured, from its JSON.
 *
 * @param sortId Spark's id of the application with sort shuffle
 * @param ourId Spark's id of the one with SymShuffle
 * @param warmUps runs of each query before those that were timed
 * @param facts the report's own words on where, when and how
 * @param queries those that succeeded with both managers and gave the same rows
 */
record Outcome(
    String sortId, String ourId, int warmUps, Map<String, Object> facts, List<TimedQuery> queries) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SORT = "sort";
  private static final String OURS = "symshuffle";

  /**
   * One query.
   *
   * @param name of the query
   * @param sort seconds of each timed run with Spark's sort shuffle
   * @param ours seconds of each timed run with SymShuffle
   */
  record TimedQuery(String name, List<Double> sort, List<Double> ours) {
    TimedQuery {
      requireNonNull(name, "name is null");
      sort = List.copyOf(sort);
      ours = List.copyOf(ours);
    }
  }

  Outcome {
    requireNonNull(sortId, "sortId is null");
    requireNonNull(ourId, "ourId is null");
    facts = new LinkedHashMap<>(facts);
    queries = List.copyOf(queries);
  }

  /**
   * Reads a report.
   *
   * @param file the JSON
   * @throws CliException if it cannot be read, or is no such report
   */
  static Outcome read(Path file) {
    try {
      return of(JSON.readTree(file.toFile()), file.toString());
    } catch (IOException e) {
      throw new CliException(
          "The outcome %s cannot be read: %s.".formatted(file, e.getMessage()), e);
    }
  }

  private static Outcome of(JsonNode report, String file) {
    List<String> managers = texts(report.path("managers"));
    List<String> applications = texts(report.path("info").path("applicationIds"));
    if (managers.isEmpty()
        || managers.size() != applications.size()
        || !report.path("queries").isArray()) {
      throw new CliException(
          file
              + " is no report of 'symshuffle demo' or 'symshuffle bench tpcds' that names the"
              + " applications whose event logs belong to it.");
    }
    if (!managers.containsAll(List.of(SORT, OURS))) {
      throw new CliException(
          "%s compares %s; needed are sort and symshuffle (--managers)."
              .formatted(file, String.join(", ", managers)));
    }
    List<TimedQuery> queries = new ArrayList<>();
    for (JsonNode query : report.path("queries")) {
      List<Double> sort = seconds(query, SORT);
      List<Double> ours = seconds(query, OURS);
      if (!sort.isEmpty() && !ours.isEmpty() && query.path("difference").asText("").isEmpty()) {
        queries.add(new TimedQuery(query.path("name").asText(), sort, ours));
      }
    }
    Map<String, Object> facts =
        JSON.convertValue(
            report.path("info"), new TypeReference<LinkedHashMap<String, Object>>() {});
    for (String field : List.of("command", "suite", "scale", "warmUps", "runs", "note")) {
      facts.put(field, JSON.convertValue(report.path(field), Object.class));
    }
    return new Outcome(
        applications.get(managers.indexOf(SORT)),
        applications.get(managers.indexOf(OURS)),
        report.path("warmUps").asInt(),
        facts,
        queries);
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private static List<Double> seconds(JsonNode query, String manager) {
    List<Double> seconds = new ArrayList<>();
    for (JsonNode entry : query.path("entries")) {
      if (entry.path("manager").asText().equals(manager)) {
        entry.path("seconds").forEach(run -> seconds.add(run.asDouble()));
      }
    }
    return seconds;
  }
}
