// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.retention;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.membership.Message.StartReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class LostExecutorOutputsTest {
  private final List<String> removed = new ArrayList<>();
  private final LostExecutorOutputs outputs =
      new LostExecutorOutputs(
          (executorId, ours) -> {
            if (ours) {
              removed.add(executorId);
            }
            return 1;
          });

  @Test
  void keepsMapOutputsThatEveryExecutorSees() {
    report("1", "a");
    report("2", "a");
    outputs.lost("1");
    report("3", "a");
    outputs.lost("2");
    assertRemoved();
  }

  @Test
  void keepsMapOutputsWhileAnExecutorOfTheirHostLives() {
    report("1", "a");
    report("2", "a");
    report("3", "b");
    report("4", "b");
    outputs.lost("1");
    outputs.lost("3");
    assertRemoved();
    outputs.lost("2");
    assertRemoved("1", "2");
    outputs.lost("4");
    assertRemoved();
    report("5", "b");
    assertRemoved();
    report("6", "c");
    outputs.lost("5");
    assertRemoved("3", "4", "5");
  }

  @Test
  void keepsMapOutputsOfTheLastExecutorsForTheNextOnesOfTheirHost() {
    report("1", "a");
    outputs.lost("1");
    report("2", "a");
    report("3", "b");
    assertRemoved();
    outputs.lost("2");
    assertRemoved("1", "2");
    report("4", "c");
    assertRemoved();
  }

  @Test
  void removesMapOutputsOfExecutorsWithoutHeap() {
    outputs.lost("never reported");
    assertRemoved("never reported");
    report("1", "");
    outputs.lost("1");
    assertRemoved("1");
  }

  @Test
  void ignoresTheReportOfAnExecutorThatWasLostBefore() {
    outputs.lost("1");
    assertRemoved("1");
    report("1", "");
    report("2", "a");
    report("3", "a");
    outputs.lost("2");
    assertRemoved();
  }

  @Test
  void removesKeptMapOutputsWhenAnExecutorWithoutHeapStarts() {
    report("1", "a");
    outputs.lost("1");
    report("2", "");
    assertRemoved("1");
  }

  @Test
  void keepsMapOutputsWhenAnExecutorFailsToStart() {
    report("1", "a");
    outputs.lost("1");
    outputs.started(new StartReport("2", 0, "", "", "no memory"));
    assertRemoved();
    outputs.lost("2");
    assertRemoved("2");
    report("3", "a");
    assertRemoved();
  }

  @Test
  void keepsMapOutputsOfExecutorThatIsReportedLostTwice() {
    report("1", "a");
    report("2", "a");
    outputs.lost("1");
    outputs.lost("1");
    report("3", "b");
    assertRemoved();
    outputs.lost("2");
    assertRemoved("1", "2");
  }

  @Test
  void removesMapOutputsOfTheSortShuffleWithEveryLoss() {
    List<String> sort = new ArrayList<>();
    LostExecutorOutputs all =
        new LostExecutorOutputs(
            (executorId, ours) -> {
              sort.add(executorId + " " + ours);
              return 0;
            });
    all.started(new StartReport("1", 1, "/dev/shm", "a", ""));
    all.lost("1");
    all.lost("1");
    assertEquals(List.of("1 false", "1 false"), sort);
  }

  @Test
  void tellsSparkThatMapOutputsOutliveExecutorsUnlessSettingsForbid() {
    SparkConf conf = new SparkConf(false);
    assertEquals(true, LostExecutorOutputs.install(conf, config(true), false).isPresent());
    assertEquals(SymShuffleDataIO.class.getName(), conf.get(LostExecutorOutputs.DATA_IO_KEY));

    SparkConf unmapped = new SparkConf(false);
    assertEquals(Optional.empty(), LostExecutorOutputs.install(unmapped, config(false), false));
    assertEquals(false, unmapped.contains(LostExecutorOutputs.DATA_IO_KEY));

    SparkConf chosen = new SparkConf(false).set(LostExecutorOutputs.DATA_IO_KEY, "another.Class");
    assertEquals(Optional.empty(), LostExecutorOutputs.install(chosen, config(true), false));
    assertEquals("another.Class", chosen.get(LostExecutorOutputs.DATA_IO_KEY));
  }

  private static SymShuffleConfig config(boolean peerMapping) {
    return ConfigReader.read(Map.of("spark.symshuffle.read.peerMapping", "" + peerMapping));
  }

  private void report(String executorId, String folder) {
    outputs.started(new StartReport(executorId, 1, "/dev/shm", folder, ""));
  }

  private void assertRemoved(String... executorIds) {
    assertEquals(List.of(executorIds), removed);
    removed.clear();
  }
}
