// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The wait in Spark's {@code allGather}, which ends early only if the task is killed. */
class MeetingTest {
  private static final String[] ALL = {"a", "b"};

  private final TaskContextImpl task = TaskContext$.MODULE$.empty();

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void limitEndsTheWaitWithAnErrorThatSaysForWhat() {
    Meeting meeting = meeting(Duration.ofMillis(50));
    SymmetricMemoryException e =
        assertThrows(
            SymmetricMemoryException.class,
            () ->
                meeting.await(
                    () -> {
                      while (true) {
                        meeting.check();
                        task.killTaskIfInterrupted();
                      }
                    }));
    assertTrue(
        e.getMessage().contains("PE 2 has waited 0 s for the others in open()"), e::toString);
  }

  @Test
  void nothingIsCheckedAfterTheWait() {
    Meeting meeting = meeting(Duration.ZERO);
    assertArrayEquals(ALL, meeting.await(() -> ALL));
    meeting.check();
    assertTrue(task.getKillReason().isEmpty());
  }

  @Test
  void limitThatIsOverAsTheOthersArriveIsAnError() {
    Meeting meeting = meeting(Duration.ZERO);
    assertThrows(
        SymmetricMemoryException.class,
        () ->
            meeting.await(
                () -> {
                  meeting.check();
                  return ALL;
                }));
  }

  @Test
  void errorsOfSparkRemainAndEndTheWait() {
    Meeting meeting = meeting(Duration.ZERO);
    assertEquals(
        "no requests within 1 s",
        assertThrows(
                SparkException.class,
                () -> meeting.await(() -> raise(new SparkException("no requests within 1 s"))))
            .getMessage());
    meeting.check();
    assertTrue(task.getKillReason().isEmpty());

    Meeting killed = meeting(Duration.ofMinutes(1));
    assertThrows(
        TaskKilledException.class,
        () -> killed.await(() -> raise(new TaskKilledException("another task failed"))));
  }

  private Meeting meeting(Duration limit) {
    return new Meeting(task, new WaitLimit(limit, "PE 2", "the others", "open()"));
  }

  /** Throws without a declaration, as Scala does. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> String[] raise(Throwable e) throws E {
    throw (E) e;
  }
}
