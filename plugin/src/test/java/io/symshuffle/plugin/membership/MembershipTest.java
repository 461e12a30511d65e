// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.plugin.membership.Member.State;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MembershipTest {
  private static final HostIdentity A = new HostIdentity("a", "boot-1");
  private static final HostIdentity B = new HostIdentity("b", "boot-2");

  private final Membership membership = new Membership();

  @Test
  void keepsTheNumberOfAnExecutorThatJoinsAgain() {
    Member first = membership.join("7", A);
    membership.join("8", A);
    assertEquals(first, membership.join("7", A));
    assertEquals(2, membership.epoch());
  }

  @Test
  void neverReusesTheNumberOfALostExecutor() {
    membership.join("7", A);
    assertEquals(Optional.of(new Member("7", 0, A, "", State.LOST, 2)), membership.markLost("7"));
    assertEquals(1, membership.join("8", A).pe());
    assertEquals(new Member("7", 0, B, "", State.JOINED, 4), membership.join("7", B));
  }

  @Test
  void notesFoldersOfLivingExecutorsOnce() {
    membership.join("7", A);
    assertTrue(membership.started("7", "folder"));
    assertFalse(membership.started("7", "folder"));
    assertFalse(membership.started("8", "folder"), "never joined");
    assertEquals(
        Optional.of(new Member("7", 0, A, "folder", State.LOST, 3)), membership.markLost("7"));
    assertFalse(membership.started("7", "another"));
  }

  @Test
  void ignoresRepeatedAndUnknownLosses() {
    membership.join("7", A);
    membership.markLost("7");
    assertEquals(Optional.empty(), membership.markLost("7"));
    assertEquals(Optional.empty(), membership.markLost("8"));
    assertEquals(2, membership.epoch());
  }

  @Test
  void returnsChangesSinceAnEpoch() {
    Member first = membership.join("7", A);
    Member second = membership.join("8", B);
    assertEquals(new MembershipChange(0, 2, List.of(first, second)), membership.changesSince(0));
    assertEquals(new MembershipChange(1, 2, List.of(second)), membership.changesSince(1));
    Member lost = membership.markLost("7").orElseThrow();
    assertEquals(new MembershipChange(2, 3, List.of(lost)), membership.changesSince(2));
    assertEquals(new MembershipChange(3, 3, List.of()), membership.changesSince(3));
  }

  @Test
  void returnsEverythingForAnUnknownEpoch() {
    Member first = membership.join("7", A);
    assertEquals(new MembershipChange(0, 1, List.of(first)), membership.changesSince(99));
  }

  @Test
  void returnsEntriesInTheOrderOfTheirChanges() {
    membership.join("7", A);
    Member second = membership.join("8", B);
    Member back = membership.markLost("7").map(lost -> membership.join("7", B)).orElseThrow();
    assertEquals(new MembershipChange(0, 4, List.of(second, back)), membership.changesSince(0));
  }

  @Test
  void sendsOnlyWhatChangedToAThousandExecutors() throws IOException {
    int executors = 1_000;
    long deltas = 0;
    for (int e = 0; e < executors; e++) {
      HostIdentity host =
          new HostIdentity(
              "worker-%d.example.internal".formatted(e / 8), "boot-%032d".formatted(e / 8));
      membership.join(Integer.toString(e), host);
      deltas += bytes(membership.changesSince(e));
    }
    long delta = deltas / executors;
    long whole = bytes(membership.changesSince(0));
    assertTrue(delta < 1_000, () -> "%d bytes for a change of one entry".formatted(delta));
    assertTrue(whole < 100L * executors, () -> whole + " bytes for the whole table");
  }

  private static long bytes(MembershipChange change) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(MessageSerializer.write(new Message.Update(change)));
    }
    return bytes.size();
  }

  @Test
  void numbersConcurrentJoinsWithoutGapsOrDuplicates() throws Exception {
    int threads = 8;
    int each = 50;
    CountDownLatch start = new CountDownLatch(1);
    List<Future<?>> joining = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (int thread = 0; thread < threads; thread++) {
        int first = thread * each;
        joining.add(
            pool.submit(
                () -> {
                  start.await();
                  for (int i = first; i < first + each; i++) {
                    membership.join("executor " + i, A);
                    membership.join("executor " + (i - first), A);
                  }
                  return null;
                }));
      }
      start.countDown();
      for (Future<?> thread : joining) {
        thread.get(2, TimeUnit.MINUTES);
      }
    }
    Set<Integer> numbers = new HashSet<>();
    MembershipChange table = membership.changesSince(0);
    table.members().forEach(member -> numbers.add(member.pe()));
    assertEquals(threads * each, table.members().size());
    assertEquals(threads * each, numbers.size());
    assertTrue(numbers.stream().allMatch(pe -> pe < threads * each));
    assertEquals(numbers.size(), table.epoch());
  }
}
