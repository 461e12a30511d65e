// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.plugin.lifecycle.SmallStagesFirst.Place;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class SmallStagesFirstTest {
  private final SmallStagesFirst order = new SmallStagesFirst();

  @Test
  void stagesOfOneQueryAreSortedByTheirNumberOfTasks() {
    Place large = order.place(query("7"), 128, 0, 0);
    Place small = order.place(query("7"), 16, 1, 1);
    Place smallest = order.place(query("7"), 1, 2, 2);
    assertOrder(smallest, small, large);
  }

  @Test
  void stagesOfEqualSizeKeepTheOrderOfTheirJobs() {
    Place first = order.place(query("7"), 16, 3, 4);
    Place second = order.place(query("7"), 16, 5, 5);
    Place sameJob = order.place(query("7"), 16, 5, 6);
    assertOrder(first, second, sameJob);
  }

  @Test
  void queriesKeepTheOrderOfTheirStages() {
    Place first = order.place(query("7"), 128, 0, 0);
    Place otherQuery = order.place(query("8"), 64, 1, 1);
    Place later = order.place(query("7"), 1, 2, 2);
    Place last = order.place(query("8"), 1, 3, 3);
    assertOrder(first, otherQuery, later, last);
  }

  @Test
  void jobsWithoutQueryKeepTheirOrder() {
    Place noProperties = order.place(null, 100, 0, 0);
    Place noQuery = order.place(new Properties(), 2, 1, 1);
    Place query = order.place(query("7"), 50, 2, 2);
    Place small = order.place(query("7"), 1, 3, 3);
    Place noQueryAgain = order.place(new Properties(), 1, 4, 4);
    assertOrder(noProperties, noQuery, small, query, noQueryAgain);
  }

  @Test
  void stagesThatAreSeenInAnotherOrderHaveTheSamePlaces() {
    Place small = order.place(query("7"), 1, 1, 1);
    Place large = order.place(query("7"), 128, 0, 0);
    Place otherQuery = order.place(query("8"), 4, 3, 3);
    Place between = order.place(null, 2, 2, 2);
    Place later = order.place(query("7"), 1, 4, 4);
    assertOrder(small, large, between, otherQuery, later);
  }

  private static Properties query(String id) {
    Properties properties = new Properties();
    properties.setProperty("spark.sql.execution.id", id);
    return properties;
  }

  private static void assertOrder(Place... places) {
    List<Place> reversed = Arrays.asList(places).reversed();
    assertEquals(List.of(places), reversed.stream().sorted().toList());
  }
}
