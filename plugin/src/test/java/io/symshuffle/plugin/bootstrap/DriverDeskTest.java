// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.plugin.bootstrap.Member.State;
import io.symshuffle.plugin.bootstrap.Message.DeviceReply;
import io.symshuffle.plugin.bootstrap.Message.DeviceReport;
import io.symshuffle.plugin.bootstrap.Message.End;
import io.symshuffle.plugin.bootstrap.Message.Join;
import io.symshuffle.plugin.bootstrap.Message.Lookup;
import io.symshuffle.plugin.bootstrap.Message.Refusal;
import io.symshuffle.plugin.bootstrap.Message.Report;
import io.symshuffle.plugin.bootstrap.Message.ShufflesOver;
import io.symshuffle.plugin.bootstrap.Message.Table;
import io.symshuffle.plugin.bootstrap.Message.Welcome;
import io.symshuffle.plugin.device.DeviceEpochs;
import io.symshuffle.plugin.device.DeviceNews.HostHeap;
import io.symshuffle.plugin.device.DeviceNews.MakeId;
import io.symshuffle.plugin.device.DeviceNews.Wait;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Poll;
import io.symshuffle.plugin.device.ExpectedPes;
import io.symshuffle.plugin.device.GpuOffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverDeskTest {
  private static final HostIdentity HERE = new HostIdentity("here", "boot-1");
  private static final HostIdentity THERE = new HostIdentity("there", "boot-2");

  @TempDir private Path shared;
  private final FolderToken token = FolderToken.random();
  private final Membership membership = new Membership();
  private final MembershipPusher pusher = new MembershipPusher(membership);
  private final Map<Object, BlockingQueue<Message>> inboxes = new ConcurrentHashMap<>();
  private final List<String> unregistered = new ArrayList<>();
  private final DriverDesk desk =
      new DriverDesk(
          token,
          HERE,
          new ClusterShape("spark://host:7077", OptionalInt.of(4), OptionalInt.empty()),
          membership,
          pusher,
          new DeviceEpochs(
              new ExpectedPes(OptionalInt.of(2), "the test"),
              Duration.ofSeconds(60),
              false,
              System::nanoTime,
              reason -> {}),
          address -> Optional.of(message -> inbox(address).add(Messages.decode(message))),
          Optional.of(
              new LostOutputs(
                  new KeptOutputs(),
                  (executorId, ours) -> {
                    unregistered.add(executorId + (ours ? " ours" : " sort"));
                    return 1;
                  })));

  @AfterEach
  void closePusher() {
    pusher.close();
    desk.close();
  }

  @Test
  void theMapOutputsOfALostExecutorAreKeptWhileTheOthersSeeItsFolder() {
    join("7", HERE);
    join("8", HERE);
    report("7", "one folder");
    report("8", "one folder");
    desk.lose("7");
    assertEquals(List.of("7 sort"), unregistered);
    join("9", THERE);
    report("9", "another folder");
    assertEquals(List.of("7 sort", "7 ours"), unregistered);
  }

  private void report(String executorId, String folder) {
    desk.answer(
        Messages.encode(new Report(executorId, 1, shared.toString(), folder, Optional.empty())));
  }

  @Test
  void welcomesAnExecutorWithItsNumberAndTheTable() {
    join("7", HERE);
    assertEquals(
        new Welcome(
            token,
            1,
            4,
            0,
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
  void tellsEverybodyWhichShufflesAreOver() throws Exception {
    join("7", HERE);
    pusher.shuffleOver(4);
    pusher.shuffleOver(5);
    List<Integer> told = new ArrayList<>();
    while (told.size() < 2) {
      told.addAll(assertInstanceOf(ShufflesOver.class, next("7")).ids());
    }
    assertEquals(List.of(4, 5), told);
  }

  @Test
  void tellsAnExecutorThatStartsWhichShufflesWereOverBefore() throws Exception {
    join("7", HERE);
    pusher.shuffleOver(4);
    assertEquals(new ShufflesOver(List.of(4)), next("7"));
    desk.lose("7");
    pusher.shuffleOver(5);

    join("8", HERE);
    report("8", "one folder");

    // The end of 5 may go out when 8 has come already, and is told once more then.
    Set<Integer> told = new TreeSet<>();
    while (told.size() < 2) {
      told.addAll(assertInstanceOf(ShufflesOver.class, next("8")).ids());
    }
    assertEquals(Set.of(4, 5), told);
  }

  @Test
  void anExecutorWithoutAPushAddressJoinsAllTheSame() {
    Object[] answer =
        desk.answer(Messages.encode(new Join("7", HERE, 4, OptionalInt.empty(), Optional.empty())));
    assertEquals(0, ((Welcome) Messages.decode(answer)).pe());
  }

  @Test
  void theExecutorsOfAMachineTakeTurnsAtItsGpusWhateverItsName() {
    HostIdentity sameMachine = new HostIdentity("127.0.0.2", HERE.bootId());
    assertEquals(0, ((Welcome) join("7", HERE)).turn());
    assertEquals(1, ((Welcome) join("8", sameMachine)).turn());
    assertEquals(0, ((Welcome) join("9", THERE)).turn());
    assertEquals(1, ((Welcome) join("8", sameMachine)).turn(), "asked again");
    desk.lose("7");
    assertEquals(0, ((Welcome) join("10", HERE)).turn(), "the lost one's");
    assertEquals(2, ((Welcome) join("11", HERE)).turn());
  }

  @Test
  void leadsExecutorsToADeviceEpoch() {
    join("7", HERE);
    join("8", HERE);
    assertEquals(new DeviceReply(new Wait()), offer("7", "GPU-0"));
    assertEquals(new DeviceReply(new Wait()), offer("8", "GPU-1"));
    assertEquals(new DeviceReply(new MakeId()), ask(new DeviceReport("7", new Poll())));
  }

  @Test
  void aLostExecutorIsNoPartOfADeviceEpoch() {
    join("7", HERE);
    join("8", HERE);
    offer("7", "GPU-0");
    offer("8", "GPU-1");
    desk.lose("8");
    assertTrue(
        ask(new DeviceReport("7", new Poll())) instanceof DeviceReply(HostHeap(var reason, var _))
            && reason.contains("PE 1 (executor 8) was lost"));
    assertEquals(new Refusal("Executor 8 is not a member"), offer("8", "GPU-1"));
    assertEquals(new Refusal("Executor 99 is not a member"), offer("99", "GPU-3"));
  }

  private Message offer(String executorId, String uuid) {
    return ask(
        new DeviceReport(
            executorId,
            new Offer(new GpuOffer("here/boot-1", uuid, "0000:00:00.0", "3.4.5", 1 << 20))));
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
    assertNull(
        desk.answer(Messages.encode(new Report("7", 1, shared.toString(), "", Optional.empty()))));
    desk.answer(Messages.encode(new Report("8", 1, "/scratch", "", Optional.of("It is full."))));
    desk.answer(Messages.encode(new Report("9", 1, "/stranger", "", Optional.empty())));
    assertEquals(Set.of(shared.toString()), desk.localBases());
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
