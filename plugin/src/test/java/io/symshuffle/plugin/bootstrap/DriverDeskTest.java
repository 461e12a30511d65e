// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.plugin.bootstrap.Member.State;
import io.symshuffle.plugin.bootstrap.Message.End;
import io.symshuffle.plugin.bootstrap.Message.Join;
import io.symshuffle.plugin.bootstrap.Message.Lookup;
import io.symshuffle.plugin.bootstrap.Message.Refusal;
import io.symshuffle.plugin.bootstrap.Message.Report;
import io.symshuffle.plugin.bootstrap.Message.Table;
import io.symshuffle.plugin.bootstrap.Message.Welcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DriverDeskTest {
  private static final HostIdentity HERE = new HostIdentity("here", "boot-1");
  private static final HostIdentity THERE = new HostIdentity("there", "boot-2");

  private final FolderToken token = FolderToken.random();
  private final Membership membership = new Membership();
  private final MembershipPusher pusher = new MembershipPusher(membership);
  private final Map<Object, BlockingQueue<Message>> inboxes = new ConcurrentHashMap<>();
  private final DriverDesk desk =
      new DriverDesk(
          token,
          HERE,
          new ClusterShape("spark://host:7077", OptionalInt.of(4), OptionalInt.empty()),
          membership,
          pusher,
          address -> Optional.of(message -> inbox(address).add(Messages.decode(message))));

  @AfterEach
  void closePusher() {
    pusher.close();
  }

  @Test
  void welcomesAnExecutorWithItsNumberAndTheTable() {
    join("7", HERE);
    assertEquals(
        new Welcome(
            token,
            1,
            4,
            new TableChange(
                0,
                2,
                List.of(
                    new Member("7", 0, HERE, State.JOINED, 1),
                    new Member("8", 1, THERE, State.JOINED, 2)))),
        join("8", THERE));
  }

  @Test
  void tellsTheOthersWhoCameAndWhoIsLost() throws Exception {
    join("7", HERE);
    join("8", THERE);
    Member came = new Member("8", 1, THERE, State.JOINED, 2);
    assertEquals(new Table(new TableChange(1, 2, List.of(came))), next("7"));
    desk.lose("8");
    Member lost = new Member("8", 1, THERE, State.LOST, 3);
    assertEquals(new Table(new TableChange(2, 3, List.of(lost))), next("7"));
    pusher.end();
    assertEquals(new End(), next("7"));
    pusher.close();
    assertEquals(0, inbox("8").size(), "what was lost is told nothing");
  }

  @Test
  void anExecutorWithoutAPushAddressJoinsAllTheSame() {
    Object[] answer =
        desk.answer(Messages.encode(new Join("7", HERE, 4, OptionalInt.empty(), Optional.empty())));
    assertEquals(0, ((Welcome) Messages.decode(answer)).pe());
  }

  @Test
  void answersWhoAnotherOneIs() {
    join("7", HERE);
    join("8", THERE);
    assertEquals(
        new Table(new TableChange(1, 2, List.of(new Member("8", 1, THERE, State.JOINED, 2)))),
        ask(new Lookup("8", 1)));
  }

  @Test
  void remembersTheFoldersOnItsOwnMachineOnly() {
    join("7", HERE);
    join("8", THERE);
    assertNull(desk.answer(Messages.encode(new Report("7", 1, "/dev/shm", Optional.empty()))));
    desk.answer(Messages.encode(new Report("8", 1, "/scratch", Optional.of("It is full."))));
    desk.answer(Messages.encode(new Report("9", 1, "/stranger", Optional.empty())));
    assertEquals(Set.of("/dev/shm"), desk.localBases());
  }

  @Test
  void refusesWhatItCannotReadInWordsAndNotByAnException() {
    assertEquals(
        new Refusal("String came instead of a message"), Messages.decode(desk.answer("hello")));
    assertEquals(new Refusal("End came to the driver, which only sends such"), ask(new End()));
  }

  private Message join(String executorId, HostIdentity host) {
    return ask(new Join(executorId, host, 16, OptionalInt.empty(), Optional.of(executorId)));
  }

  private Message ask(Message message) {
    return Messages.decode(desk.answer(Messages.encode(message)));
  }

  private BlockingQueue<Message> inbox(Object address) {
    return inboxes.computeIfAbsent(address, a -> new LinkedBlockingQueue<>());
  }

  private Message next(String executorId) throws InterruptedException {
    return inbox(executorId).poll(30, TimeUnit.SECONDS);
  }
}
