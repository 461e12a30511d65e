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

  /** The places of stages, which must not change while Spark sorts them. */
  private final Map<Schedulable, Place> places = new WeakHashMap<>();

  /** The latest job, its query, empty if it has none, and its group. */
  private int latestJob = -1;

  private Optional<String> latestQuery = Optional.empty();
  private int latestGroup;

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
  public synchronized boolean comparator(Schedulable one, Schedulable other) {
    return place(one).compareTo(place(other)) < 0;
  }

  private Place place(Schedulable stage) {
    Place known = places.get(stage);
    if (known != null) {
      return known;
    }
    Place place =
        stage instanceof TaskSetManager tasks
            ? place(
                tasks.taskSet().properties(), tasks.numTasks(), tasks.priority(), tasks.stageId())
            : new Place(stage.priority(), 0, stage.priority(), stage.stageId());
    places.put(stage, place);
    return place;
  }

  /**
   * Returns the place of a stage that was not sorted before.
   *
   * @param properties of its job; {@code null} if it has none
   */
  Place place(Properties properties, int tasks, int job, int stage) {
    Optional<String> query = Optional.ofNullable(properties).map(known -> known.getProperty(QUERY));
    boolean inLatestGroup = query.isPresent() && query.equals(latestQuery);
    if (job > latestJob) {
      latestJob = job;
      latestQuery = query;
      latestGroup = inLatestGroup ? latestGroup : job;
    }
    return new Place(inLatestGroup ? latestGroup : job, query.isPresent() ? tasks : 0, job, stage);
  }
}
