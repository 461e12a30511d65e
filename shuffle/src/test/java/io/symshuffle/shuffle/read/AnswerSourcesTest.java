// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static io.symshuffle.shuffle.read.Reading.executor;
import static io.symshuffle.shuffle.read.Reading.source;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.read.AnswerSources.Server;
import io.symshuffle.shuffle.runtime.PeTable;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;

/**
 * Executors 0 and 1 share a host with the task's own executor 2; executors 3, 4 and 5 share
 * another, and 6 is alone on a third. Nothing is known about executor 7.
 */
class AnswerSourcesTest {
  private static final String SELF = executor(2).executorId();

  private final Set<String> lost = new HashSet<>();

  private final PeTable peers =
      new PeTable() {
        @Override
        public OptionalInt findPe(String executorId) {
          throw new AssertionError("asks for PE of " + executorId);
        }

        @Override
        public boolean isLost(String executorId) {
          return lost.contains(executorId);
        }

        @Override
        public String heapFolder(String executorId) {
          return switch (executorId.charAt(executorId.length() - 1)) {
            case '0', '1', '2' -> "a";
            case '3', '4', '5' -> "b";
            case '6' -> "c";
            default -> "";
          };
        }
      };

  @Test
  void oneExecutorOfAHostAnswersForAll() {
    List<RemoteOutputs> owners = List.of(outputs(3, 30), outputs(6, 60), outputs(4, 40, 41));
    for (int task = 0; task < 4; task++) {
      Server server = new Server(executor(task % 2 == 0 ? 3 : 4), true);
      assertEquals(
          List.of(
              new RemoteOutputs(server, maps(owners.get(0), owners.get(2))),
              new RemoteOutputs(new Server(executor(6), true), owners.get(1).maps())),
          join(task, false, owners));
    }
  }

  @Test
  void livingExecutorAnswersForDeadOnes() {
    lose(3, 4);
    List<RemoteOutputs> owners = List.of(outputs(3, 30), outputs(4, 40), outputs(5, 50));
    assertEquals(
        List.of(
            new RemoteOutputs(
                new Server(executor(5), true), maps(owners.get(0), owners.get(1), owners.get(2)))),
        join(0, false, owners));
    // Executor 5 has no data for this task, so its address is only known to Spark.
    assertEquals(
        List.of(
            new RemoteOutputs(new Server(executor(5), true), maps(owners.get(0), owners.get(1)))),
        join(0, false, owners.subList(0, 2)));
  }

  @Test
  void ownersAreAskedIfNobodyElseCanAnswer() {
    lose(6, 7);
    List<RemoteOutputs> owners =
        List.of(outputs(6, 60), outputs(7, 70), outputs(0, 1), outputs(1, 2));
    assertEquals(owners, join(0, false, owners));
  }

  @Test
  void anotherExecutorOfTheHostAnswersInsteadOfOneThatDoesNot() {
    for (int task = 0; task < 4; task++) {
      assertEquals(Optional.of(executor(task % 2 == 0 ? 4 : 5)), substitute(task, 3));
    }
    lose(4);
    assertEquals(Optional.of(executor(5)), substitute(0, 3));
    assertEquals(Optional.of(executor(3)), substitute(0, 4));
    assertEquals(Optional.empty(), substitute(0, 6));
  }

  private Optional<BlockManagerId> substitute(long task, int pe) {
    return new AnswerSources(peers, SELF, task, false)
        .substitute(executor(pe).executorId(), AnswerSourcesTest::others);
  }

  /** It has left out map outputs, and is lost before it is asked for them. */
  @Test
  void anotherExecutorOfTheHostIsAskedAgainInsteadOfALostOne() {
    AnswerSources servers = new AnswerSources(peers, SELF, 0, false);
    Server ofHost = new Server(executor(3), true);
    assertEquals(Optional.of(executor(3)), servers.living(ofHost, AnswerSourcesTest::others));
    lose(3);
    assertEquals(Optional.of(executor(4)), servers.living(ofHost, AnswerSourcesTest::others));
    Server owner = new Server(executor(3), false);
    assertEquals(Optional.empty(), servers.living(owner, AnswerSourcesTest::others));
    lose(4, 5);
    assertEquals(Optional.empty(), servers.living(ofHost, AnswerSourcesTest::others));
  }

  @Test
  void livingOwnersAreAskedThemselvesOnDemand() {
    lose(4);
    List<RemoteOutputs> owners = List.of(outputs(3, 30), outputs(4, 40), outputs(5, 50));
    assertEquals(
        List.of(
            owners.get(0),
            new RemoteOutputs(new Server(executor(5), true), owners.get(1).maps()),
            owners.get(2)),
        join(1, true, owners));
  }

  @Test
  void executorAnswersForItsHostOnlyIfItIsAskedTo() {
    AnswerSources servers = new AnswerSources(peers, SELF, 0, false);
    assertTrue(servers.answers(new Server(executor(3), true), executor(4)));
    assertFalse(servers.answers(new Server(executor(3), true), executor(6)));
    assertTrue(servers.answers(new Server(executor(3), false), executor(3)));
    assertFalse(servers.answers(new Server(executor(3), false), executor(4)));
  }

  private void lose(int... pes) {
    IntStream.of(pes).forEach(pe -> lost.add(executor(pe).executorId()));
  }

  private List<RemoteOutputs> join(long task, boolean direct, List<RemoteOutputs> owners) {
    return new AnswerSources(peers, SELF, task, direct).join(owners, AnswerSourcesTest::others);
  }

  private static List<BlockManagerId> others() {
    return IntStream.of(0, 1, 3, 4, 5, 6, 7).mapToObj(Reading::executor).toList();
  }

  private static RemoteOutputs outputs(int pe, long... mapIds) {
    return RemoteOutputs.of(
        executor(pe),
        LongStream.of(mapIds)
            .mapToObj(mapId -> new RemoteOutputs.Sized(source(pe, mapId), 10 * mapId))
            .toList());
  }

  private static List<RemoteOutputs.Sized> maps(RemoteOutputs... owners) {
    return List.of(owners).stream().flatMap(ofOwner -> ofOwner.maps().stream()).toList();
  }
}
