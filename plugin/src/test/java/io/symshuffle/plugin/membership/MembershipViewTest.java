// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.plugin.membership.Member.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MembershipViewTest {
  private static final HostIdentity A = new HostIdentity("a", "boot-1");

  private final Membership driver = new Membership();
  private final AtomicInteger questions = new AtomicInteger();
  private boolean reachable = true;
  private long now = Long.MAX_VALUE - 5; // the clock may run over
  private final MembershipView view = new MembershipView(this::ask, () -> now);

  @Test
  void knowsPushedExecutorsWithoutALookup() {
    driver.join("7", A);
    driver.join("8", A);
    view.apply(driver.changesSince(0));
    assertEquals(OptionalInt.of(1), view.findPe("8"));
    assertEquals(2, view.epoch());
    assertEquals(0, questions.get());
  }

  @Test
  void looksUpAnUnknownExecutorOnceAndAppliesAllChanges() {
    driver.join("7", A);
    driver.join("8", A);
    assertEquals(OptionalInt.of(1), view.findPe("8"));
    assertEquals(OptionalInt.of(0), view.findPe("7"));
    assertEquals(1, questions.get());
  }

  @Test
  void repeatsALookupOfAnUnknownExecutorOnlyAfterTheInterval() {
    assertEquals(OptionalInt.empty(), view.findPe("9"));
    assertEquals(OptionalInt.empty(), view.findPe("9"));
    assertEquals(1, questions.get());
    driver.join("9", A);
    now += MembershipView.RETRY_INTERVAL.toNanos();
    assertEquals(OptionalInt.of(0), view.findPe("9"));
    assertEquals(2, questions.get());
  }

  @Test
  void knowsFoldersAlsoOfLostExecutors() {
    driver.join("7", A);
    view.apply(driver.changesSince(0));
    assertEquals("", view.heapFolder("7"));
    driver.started("7", "folder");
    driver.markLost("7");
    view.apply(driver.changesSince(view.epoch()));
    assertEquals("folder", view.heapFolder("7"));
    assertEquals("", view.heapFolder("8"));
    assertEquals(0, questions.get());
  }

  @Test
  void tellsTheListenerAboutEarlierAndLaterLosses() {
    driver.join("7", A);
    driver.join("8", A);
    driver.markLost("8");
    view.apply(driver.changesSince(0));
    List<Integer> lost = new ArrayList<>();
    view.onLost(lost::add);
    assertEquals(List.of(1), lost);
    driver.join("9", A);
    view.apply(driver.changesSince(view.epoch()));
    assertEquals(List.of(1), lost);
    driver.markLost("7");
    view.apply(driver.changesSince(view.epoch()));
    assertEquals(List.of(1, 0), lost);
  }

  @Test
  void pausesLookupsWhenTheDriverDoesNotAnswer() {
    driver.join("7", A);
    reachable = false;
    assertEquals(OptionalInt.empty(), view.findPe("7"));
    assertEquals(OptionalInt.empty(), view.findPe("8"));
    assertEquals(1, questions.get());
    reachable = true;
    now += MembershipView.RETRY_INTERVAL.toNanos();
    assertEquals(OptionalInt.of(0), view.findPe("7"));
  }

  @Test
  void appliesChangesInAnyOrder() {
    driver.join("7", A);
    MembershipChange joined = driver.changesSince(0);
    driver.markLost("7");
    MembershipChange lost = driver.changesSince(1);
    view.apply(lost);
    assertEquals(0, view.epoch(), "there is a gap before the change");
    view.apply(joined);
    assertEquals(State.LOST, view.member("7").orElseThrow().state());
    assertEquals(1, view.epoch());
    view.apply(lost);
    view.apply(joined);
    assertEquals(State.LOST, view.member("7").orElseThrow().state());
    assertEquals(2, view.epoch());
  }

  @Test
  void looksUpOnceForConcurrentTasks() throws Exception {
    driver.join("7", A);
    int tasks = 8;
    CountDownLatch start = new CountDownLatch(1);
    List<Future<OptionalInt>> asking = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(tasks)) {
      for (int task = 0; task < tasks; task++) {
        asking.add(
            pool.submit(
                () -> {
                  start.await();
                  return view.findPe("7");
                }));
      }
      start.countDown();
      for (Future<OptionalInt> task : asking) {
        assertEquals(OptionalInt.of(0), task.get(2, TimeUnit.MINUTES));
      }
    }
    assertEquals(1, questions.get());
  }

  private MembershipChange ask(String executorId, long since) throws IOException {
    questions.incrementAndGet();
    if (!reachable) {
      throw new IOException("The driver is away");
    }
    return driver.changesSince(since);
  }
}
