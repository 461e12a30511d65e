// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import java.lang.reflect.Field;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.WeakHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.Pool;
import org.apache.spark.scheduler.Schedulable;
import org.apache.spark.scheduler.SchedulingAlgorithm;
import org.apache.spark.scheduler.SchedulingMode;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSetManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's order of stages, first in, first out, except that among stages of one SQL query, with
 * none of another job between them, those with fewer tasks start theirs first.
 *
 * <p>Adaptive execution plans the next join when the exchanges below it have ended. If the exchange
 * of a small table waits behind hundreds of tasks of a large one, Spark plans a join with another
 * table meanwhile and shuffles rows that a broadcast of the small table would have kept in place.
 * All stages of a query take as many task seconds in either order.
 */
final class SmallStagesFirst implements SchedulingAlgorithm {
  private static final Logger LOG = LoggerFactory.getLogger(SmallStagesFirst.class);

  /** The field of a pool that Spark asks for the order of its stages; private and final. */
  private static final String FIELD = "taskSetSchedulingAlgorithm";

  private static final String QUERY = "spark.sql.execution.id";

  /**
   * What a stage is sorted by.
   *
   * @param group the first job of the stages among which those with fewer tasks come first; the
   *     stage's own job if there are no others
   * @param tasks the number of tasks of the stage; 0 if it belongs to no query
   */
  record Place(int group, int tasks, int job, int stage) implements Comparable<Place> {
    private static final Comparator<Place> ORDER =
        Comparator.comparingInt(Place::group)
            .thenComparingInt(Place::tasks)
            .thenComparingInt(Place::job)
            .thenComparingInt(Place::stage);

    @Override
    public int compareTo(Place other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * A stage that waits.
   *
   * @param key what Spark sorts
   * @param query the query of its job, if it has one
   */
  record Stage(Object key, Optional<String> query, int tasks, int job, int id) {
    static Stage of(Schedulable stage) {
      int job = stage.priority();
      return stage instanceof TaskSetManager tasks
          ? new Stage(
              tasks, query(tasks.taskSet().properties()), tasks.numTasks(), job, stage.stageId())
          : new Stage(stage, Optional.empty(), 0, job, stage.stageId());
    }

    private static Optional<String> query(Properties properties) {
      return Optional.ofNullable(properties).map(known -> known.getProperty(QUERY));
    }
  }

  /** The places of stages, which must not change while Spark sorts them. */
  private final Map<Object, Place> places = new WeakHashMap<>();

  /** The latest job, its query, empty if it has none, and its group. */
  private int latestJob = -1;

  private Optional<String> latestQuery = Optional.empty();
  private int latestGroup;

  /** The latest job before that group. */
  private int jobBefore = -1;

  /**
   * Makes the application use this order. Nothing changes if it uses fair scheduling, or a
   * scheduler or a Spark that are not known.
   *
   * @param context whose scheduler has started
   */
  static void install(SparkContext context) {
    if (!(context.taskScheduler() instanceof TaskSchedulerImpl scheduler)
        || !scheduler.schedulingMode().equals(SchedulingMode.FIFO())) {
      LOG.debug("Stages keep the order of {}", context.taskScheduler());
      return;
    }
    try {
      Field field = Pool.class.getDeclaredField(FIELD);
      field.setAccessible(true);
      field.set(scheduler.rootPool(), new SmallStagesFirst());
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.info("Stages keep Spark's order, because its pools have no field {}", FIELD, e);
    }
  }

  @Override
  public boolean comparator(Schedulable one, Schedulable other) {
    return comesBefore(Stage.of(one), Stage.of(other));
  }

  /**
   * Returns whether a stage comes before another one. A stage that waits alone is never compared,
   * so the earlier one of these gets its place first.
   */
  synchronized boolean comesBefore(Stage one, Stage other) {
    if (other.job < one.job) {
      place(other);
    }
    return place(one).compareTo(place(other)) < 0;
  }

  private Place place(Stage stage) {
    Place known = places.get(stage.key);
    if (known != null) {
      return known;
    }
    boolean inLatestGroup =
        stage.query.isPresent() && stage.query.equals(latestQuery) && stage.job > jobBefore;
    if (stage.job > latestJob) {
      jobBefore = inLatestGroup ? jobBefore : latestJob;
      latestGroup = inLatestGroup ? latestGroup : stage.job;
      latestJob = stage.job;
      latestQuery = stage.query;
    }
    Place place =
        new Place(
            inLatestGroup ? latestGroup : stage.job,
            stage.query.isPresent() ? stage.tasks : 0,
            stage.job,
            stage.id);
    places.put(stage.key, place);
    return place;
  }
}
