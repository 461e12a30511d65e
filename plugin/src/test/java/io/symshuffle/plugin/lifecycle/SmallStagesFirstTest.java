// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.plugin.lifecycle.SmallStagesFirst.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SmallStagesFirstTest {
  private final SmallStagesFirst order = new SmallStagesFirst();

  @Test
  void stagesOfOneQueryAreSortedByTheirNumberOfTasks() {
    Stage large = stage("7", 128, 0);
    Stage small = stage("7", 16, 1);
    Stage smallest = stage("7", 1, 2);
    assertEquals(List.of(smallest, small, large), sorted(large, small, smallest));
  }

  @Test
  void stagesOfEqualSizeKeepTheOrderOfTheirJobs() {
    Stage first = new Stage("first", Optional.of("7"), 16, 3, 4);
    Stage second = new Stage("second", Optional.of("7"), 16, 5, 5);
    Stage sameJob = new Stage("same job", Optional.of("7"), 16, 5, 6);
    assertEquals(List.of(first, second, sameJob), sorted(sameJob, first, second));
  }

  @Test
  void queriesKeepTheOrderOfTheirStages() {
    Stage first = stage("7", 128, 0);
    Stage otherQuery = stage("8", 64, 1);
    Stage later = stage("7", 1, 2);
    Stage last = stage("8", 1, 3);
    assertEquals(List.of(first, otherQuery, later, last), sorted(first, otherQuery, later, last));
  }

  @Test
  void jobsWithoutQueryKeepTheirOrder() {
    Stage first = stage(null, 100, 0);
    Stage second = stage(null, 2, 1);
    Stage large = stage("7", 50, 2);
    Stage small = stage("7", 1, 3);
    Stage last = stage(null, 1, 4);
    assertEquals(
        List.of(first, second, small, large, last), sorted(first, second, large, small, last));
  }

  @Test
  void stagesOfEarlierJobsThatComeLaterAreSortedAmongThoseOfTheirQuery() {
    Stage small = stage("7", 1, 1);
    sorted(small, stage("7", 2, 2));
    Stage large = stage("7", 128, 0);
    Stage between = stage(null, 2, 3);
    Stage otherQuery = stage("8", 4, 4);
    Stage later = stage("7", 1, 5);
    assertEquals(
        List.of(small, large, between, otherQuery, later),
        sorted(large, small, between, otherQuery, later));
  }

  @Test
  void queryDoesNotPassAnotherOneThatHasWaitedAlone() {
    sorted(stage("7", 128, 0), stage("7", 16, 1));
    Stage alone = stage("8", 128, 2);
    Stage later = stage("7", 4, 3);
    assertEquals(List.of(alone, later), sorted(alone, later));
    assertEquals(List.of(alone, later), sorted(later, alone));
  }

  @Test
  void laterStageOfAnEarlierJobDoesNotFallBehindAnotherQuery() {
    sorted(stage("7", 128, 0), stage("8", 64, 1));
    sorted(stage("8", 64, 1), stage("7", 4, 2));
    Stage otherQuery = stage("8", 64, 1);
    Stage earlier = new Stage("earlier", Optional.of("7"), 16, 0, 9);
    assertEquals(List.of(earlier, otherQuery), sorted(otherQuery, earlier));
  }

  private static Stage stage(String query, int tasks, int job) {
    return new Stage("stage of job " + job, Optional.ofNullable(query), tasks, job, job);
  }

  /** Sorts stages, comparing a later one with an earlier one first, as Java's sort does. */
  private List<Stage> sorted(Stage... stages) {
    List<Stage> all = new ArrayList<>(List.of(stages));
    all.sort(
        (one, other) -> order.comesBefore(one, other) ? -1 : order.comesBefore(other, one) ? 1 : 0);
    return all;
  }
}
