// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import io.symshuffle.it.record.TaskRecorder;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import scala.jdk.javaapi.CollectionConverters;

/** RAPIDS' counters of retries and spills, as stages report them. */
final class RapidsCounts extends SparkListener {
  private final SparkContext context;
  private final Map<String, Long> sums = new TreeMap<>();

  RapidsCounts(SparkContext context) {
    this.context = context;
    context.addSparkListener(this);
  }

  @Override
  public synchronized void onStageCompleted(SparkListenerStageCompleted stage) {
    for (AccumulableInfo info :
        CollectionConverters.asJava(stage.stageInfo().accumulables()).values()) {
      String name = info.name().isDefined() ? info.name().get() : "";
      if ((name.contains("Retry") || name.contains("Spill")) && info.value().isDefined()) {
        // Numbers are summed. Sizes and times are texts, which become part of the name.
        Object value = info.value().get();
        boolean number = value instanceof Number;
        sums.merge(
            number ? name : name + " " + value,
            number ? ((Number) value).longValue() : 1L,
            Long::sum);
      }
    }
  }

  /** Returns the counters since the last call, one line {@code name=value} each. */
  String take() {
    TaskRecorder.drain(context);
    synchronized (this) {
      StringBuilder lines = new StringBuilder();
      sums.forEach((name, sum) -> lines.append("%s=%d%n".formatted(name, sum)));
      sums.clear();
      return lines.toString();
    }
  }
}
