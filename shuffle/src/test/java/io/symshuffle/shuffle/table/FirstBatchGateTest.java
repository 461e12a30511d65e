// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.junit.jupiter.api.Test;
import scala.Option;

class FirstBatchGateTest {
  private final TaskContextImpl task = TaskContext$.MODULE$.empty();
  private final List<String> gathered = new ArrayList<>();

  @Test
  void taskGathersAllItsShufflesOnce() {
    try (FirstBatchGate batches = new FirstBatchGate()) {
      FirstBatchGate.OfTask left = batches.of(task);
      left.add(() -> gathered.add("left"));
      FirstBatchGate.OfTask right = batches.of(task);
      assertSame(left, right);
      right.add(() -> gathered.add("right"));
      left.gather();
      right.gather();
      batches.of(task).add(() -> gathered.add("later"));
      right.gather();
      assertEquals(List.of("left", "right"), gathered);
    }
  }

  @Test
  void nothingIsKeptAfterTheTask() {
    try (FirstBatchGate batches = new FirstBatchGate()) {
      FirstBatchGate.OfTask first = batches.of(task);
      task.markTaskCompleted(Option.empty());
      assertNotSame(first, batches.of(TaskContext$.MODULE$.empty()));
    }
  }
}
