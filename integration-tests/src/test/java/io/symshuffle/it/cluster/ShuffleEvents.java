// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.it.Folders;
import io.symshuffle.plugin.ui.UsageEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which shuffles of an application used SymShuffle, from its event log.
 *
 * @param mapTasks successful map tasks of jobs for which SymShuffle was enabled, by the description
 *     and the plan of their query; the text of a job without a query is empty
 * @param mapOutputs what SymShuffle reports, all shuffles and executors together; without what
 *     executors did in the seconds before they were killed
 */
record ShuffleEvents(Map<String, Long> mapTasks, long mapOutputs) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SWITCH = "spark.symshuffle.enabled";

  /**
   * Reads the event log of the only application in a folder.
   *
   * @param folder {@code spark.eventLog.dir}; the log is not compressed
   */
  static ShuffleEvents read(Path folder) throws IOException {
    Map<Long, String> queries = new HashMap<>();
    Map<Long, Long> roots = new HashMap<>();
    Map<Integer, Long> queryOfStage = new HashMap<>();
    Set<Integer> ours = new HashSet<>();
    Map<String, Long> tasks = new HashMap<>();
    Map<List<String>, Long> outputs = new HashMap<>();
    for (Path file :
        Folders.under(folder)
            .filter(path -> path.getFileName().toString().startsWith("events_"))
            .toList()) {
      for (String line : Files.readAllLines(file)) {
        JsonNode event = JSON.readTree(line);
        String kind = event.get("Event").asText();
        if (kind.endsWith("SparkListenerSQLExecutionStart")) {
          long id = event.get("executionId").asLong();
          queries.put(
              id,
              event.get("description").asText()
                  + "\n"
                  + event.get("physicalPlanDescription").asText());
          roots.put(id, event.path("rootExecutionId").asLong(id));
        } else if (kind.equals("SparkListenerJobStart")) {
          JsonNode properties = event.path("Properties");
          for (JsonNode stage : event.get("Stage IDs")) {
            queryOfStage.put(stage.asInt(), properties.path("spark.sql.execution.id").asLong(-1));
            if (properties.path(SWITCH).asBoolean(true)) {
              ours.add(stage.asInt());
            }
          }
        } else if (kind.equals("SparkListenerTaskEnd")
            && event.get("Task Type").asText().equals("ShuffleMapTask")
            && event.get("Task End Reason").get("Reason").asText().equals("Success")
            && ours.contains(event.get("Stage ID").asInt())) {
          long query = queryOfStage.get(event.get("Stage ID").asInt());
          tasks.merge(queries.getOrDefault(roots.getOrDefault(query, query), ""), 1L, Long::sum);
        } else if (kind.equals(UsageEvent.class.getName())) {
          JsonNode report = event.get("report");
          for (JsonNode shuffle : report.get("shuffles")) {
            outputs.put(
                List.of(report.get("executorId").asText(), shuffle.get("shuffleId").asText()),
                shuffle.get("mapOutputs").asLong());
          }
        }
      }
    }
    return new ShuffleEvents(
        Map.copyOf(tasks), outputs.values().stream().mapToLong(Long::longValue).sum());
  }

  /**
   * Fails unless SymShuffle has a map output for each map task, some of them of certain queries.
   *
   * @param queries text in the descriptions or plans of these queries
   */
  void assertAllMapOutputsAreOurs(String... queries) {
    assertEquals(
        mapTasks.values().stream().mapToLong(Long::longValue).sum(), mapOutputs, this::toString);
    for (String query : queries) {
      assertTrue(
          mapTasks.keySet().stream().anyMatch(each -> each.contains(query)),
          () -> "no map task of %s in %s".formatted(query, this));
    }
  }
}
