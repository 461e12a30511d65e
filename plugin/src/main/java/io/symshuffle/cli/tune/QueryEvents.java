// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Maps stages to executions of Spark SQL, from the events of a log. A nested execution, such as
 * that of a command, counts as part of the outer one.
 */
final class QueryEvents {
  private static final String SQL = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution";
  private static final double MILLIS = 1e3;

  private static final class Execution {
    private final String name;
    private final long start;
    private final TreeSet<Integer> stages = new TreeSet<>();
    private long end;

    Execution(String name, long start) {
      this.name = name;
      this.start = start;
    }
  }

  private final Map<String, Execution> running = new HashMap<>();
  private final Map<String, Execution> succeeded = new LinkedHashMap<>();
  private final Map<Integer, String> groupOfStage = new HashMap<>();

  /** Processes an event of any kind. */
  void add(JsonNode event) {
    switch (event.path("Event").asText()) {
      case SQL + "Start" -> start(event);
      case SQL + "End" -> end(event);
      case "SparkListenerJobStart" -> job(event);
      default -> {}
    }
  }

  private void start(JsonNode event) {
    String id = event.path("executionId").asText();
    if (event.path("rootExecutionId").asText(id).equals(id)) {
      String name = event.path("description").asText("").strip();
      running.put(
          id,
          new Execution(
              name.isEmpty() ? "execution " + id : name.replaceAll("\\s+", " "),
              event.path("time").asLong()));
    }
  }

  private void end(JsonNode event) {
    String id = event.path("executionId").asText();
    Execution execution = running.remove(id);
    if (execution != null && event.path("errorMessage").asText("").isEmpty()) {
      execution.end = event.path("time").asLong();
      succeeded.put(id, execution);
    }
  }

  private void job(JsonNode event) {
    JsonNode properties = event.path("Properties");
    String id =
        properties
            .path("spark.sql.execution.root.id")
            .asText(properties.path("spark.sql.execution.id").asText(""));
    String group = id.isEmpty() ? "job " + event.path("Job ID").asText() : id;
    Optional<Execution> execution = Optional.ofNullable(running.get(id));
    for (JsonNode stage : event.path("Stage IDs")) {
      // A stage whose output a later job reuses ran for the first job.
      if (groupOfStage.putIfAbsent(stage.asInt(), group) == null) {
        execution.ifPresent(e -> e.stages.add(stage.asInt()));
      }
    }
  }

  /** Returns the name of a stage's query, or of its job outside Spark SQL. */
  String groupOf(int stage) {
    return groupOfStage.getOrDefault(stage, "?");
  }

  /**
   * Returns the successful executions, in the order in which they ended.
   *
   * @param stages the stages that ran, by number
   */
  List<QueryRun> runs(Map<Integer, StageFacts> stages) {
    List<QueryRun> runs = new ArrayList<>();
    for (Execution execution : succeeded.values()) {
      runs.add(
          new QueryRun(
              execution.name,
              Math.max(0, execution.end - execution.start) / MILLIS,
              execution.stages.stream().filter(stages::containsKey).map(stages::get).toList()));
    }
    return runs;
  }
}
