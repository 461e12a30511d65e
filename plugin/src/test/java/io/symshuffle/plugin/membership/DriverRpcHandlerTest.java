// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.plugin.device.DeviceCoordinator;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Poll;
import io.symshuffle.plugin.device.GpuOffer;
import io.symshuffle.plugin.device.nvshmem.ExpectedPes;
import io.symshuffle.plugin.device.nvshmem.NvshmemEpochs;
import io.symshuffle.plugin.membership.Member.State;
import io.symshuffle.plugin.membership.Message.ApplicationEnding;
import io.symshuffle.plugin.membership.Message.DeviceReply;
import io.symshuffle.plugin.membership.Message.DeviceReport;
import io.symshuffle.plugin.membership.Message.EndedShuffle;
import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.Lookup;
import io.symshuffle.plugin.membership.Message.Refusal;
import io.symshuffle.plugin.membership.Message.ShufflesEnded;
import io.symshuffle.plugin.membership.Message.StartReport;
import io.symshuffle.plugin.membership.Message.TablesOnHost;
import io.symshuffle.plugin.membership.Message.TablesUnavailable;
import io.symshuffle.plugin.membership.Message.Update;
import io.symshuffle.plugin.membership.Message.Usage;
import io.symshuffle.plugin.membership.Message.Welcome;
import io.symshuffle.plugin.usage.HeapUse;
import io.symshuffle.plugin.usage.UsageReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class DriverRpcHandlerTest {
  private static final EndedShuffle FOUR = new EndedShuffle(4, 40);
  private static final EndedShuffle FIVE = new EndedShuffle(5, 41);
  private static final HostIdentity HERE = new HostIdentity("here", "boot-1");
  private static final HostIdentity THERE = new HostIdentity("there", "boot-2");

  private final FolderToken token = FolderToken.random();
  private final Membership membership = new Membership();
  @AutoClose private final MembershipPusher pusher = new MembershipPusher(membership);
  private final Map<Object, BlockingQueue<Message>> inboxes = new ConcurrentHashMap<>();
  private final List<String> events = new ArrayList<>();
  private volatile Optional<Set<String>> executors = Optional.empty();
  private final DriverRpcHandler handler =
      new DriverRpcHandler(
          token,
          ClusterShape.of(
              new SparkConf(false)
                  .set("spark.master", "spark://host:7077")
                  .set("spark.executor.cores", "4")),
          membership,
          pusher,
          new DeviceCoordinator(
              new NvshmemEpochs(
                  new ExpectedPes(OptionalInt.of(2), "the test"),
                  Duration.ofSeconds(60),
                  System::nanoTime),
              false,
              reason -> {}),
          address -> Optional.of(message -> inbox(address).add(MessageSerializer.read(message))),
          List.of(new FailingListener(), new RecordingListener()),
          () -> executors);

  @Test
  void tellsListenersInOrderEvenIfOneFails() {
    join("7", HERE);
    report("7", "one folder");
    ask(new DeviceReport("7", new Decline("It has no GPU")));
    assertNull(
        handler.receive(
            MessageSerializer.write(new TablesUnavailable("7", "its self-test failed"))));
    reportUsage("7");
    handler.executorLost("7");
    handler.executorLost("never joined");
    assertEquals(
        List.of(
            "PE 0 joined",
            "7 started in one folder",
            "7 uses the host heap: It has no GPU",
            "7 has no tables: its self-test failed",
            "7 used",
            "7 lost",
            "never joined lost"),
        events);
  }

  private void reportUsage(String executorId) {
    reportUsage(executorId, membership.epoch());
  }

  private void reportUsage(String executorId, long epoch) {
    reportUsage(executorId, epoch, 0);
  }

  private void reportUsage(String executorId, long epoch, long ends) {
    UsageReport usage = new UsageReport(executorId, 1, "", 0, HeapUse.NONE, List.of());
    assertNull(handler.receive(MessageSerializer.write(new Usage(usage, epoch, ends))));
  }

  @Test
  void usageReportsShowLossesWhoseEventSparkDropped() {
    join("7", HERE);
    join("8", HERE);
    reportUsage("7");
    assertEquals(List.of("PE 0 joined", "PE 1 joined", "7 used"), events, "Spark cannot be asked");
    executors = Optional.of(Set.of("7", "8", "registered but not joined"));
    reportUsage("7");
    assertEquals(2, membership.count(State.JOINED));
    executors = Optional.of(Set.of("7"));
    reportUsage("7");
    reportUsage("7");
    assertEquals(
        List.of("PE 0 joined", "PE 1 joined", "7 used", "7 used", "7 used", "8 lost", "7 used"),
        events);
    assertEquals(State.LOST, membership.member("8").orElseThrow().state());
  }

  private void report(String executorId, String folder) {
    assertNull(
        handler.receive(
            MessageSerializer.write(new StartReport(executorId, 1, "/dev/shm", folder, ""))));
  }

  @Test
  void welcomesAnExecutorWithItsNumberAndTheMembers() {
    join("7", HERE);
    assertEquals(
        new Welcome(
            token,
            1,
            4,
            0,
            new MembershipChange(
                0,
                2,
                List.of(
                    new Member("7", 0, HERE, "", State.JOINED, 1),
                    new Member("8", 1, THERE, "", State.JOINED, 2)))),
        join("8", THERE));
  }

  @Test
  void pushesJoinedAndLostExecutorsToTheOthers() throws Exception {
    join("7", HERE);
    join("8", THERE);
    Member came = new Member("8", 1, THERE, "", State.JOINED, 2);
    assertEquals(new Update(new MembershipChange(1, 2, List.of(came))), next("7"));
    handler.executorLost("8");
    Member lost = new Member("8", 1, THERE, "", State.LOST, 3);
    assertEquals(new Update(new MembershipChange(2, 3, List.of(lost))), next("7"));
    pusher.end();
    assertEquals(new ApplicationEnding(), next("7"));
    pusher.close();
    // A round that was under way when it was lost may have told it of its own loss.
    assertFalse(inbox("8").contains(new ApplicationEnding()), "lost executors are not told");
  }

  /** Spark drops messages when a connection fails. */
  @Test
  void pushesAgainWhatAnExecutorHasMissed() throws Exception {
    join("7", HERE);
    join("8", THERE);
    assertInstanceOf(Update.class, next("7"));
    handler.executorLost("8");
    Update loss =
        new Update(
            new MembershipChange(2, 3, List.of(new Member("8", 1, THERE, "", State.LOST, 3))));
    assertEquals(loss, next("7"));
    reportUsage("7", 2);
    assertEquals(loss, next("7"));
    reportUsage("7", 3);
    reportUsage("unknown", 2);
    pusher.end();
    assertEquals(new ApplicationEnding(), next("7"), "it has missed nothing else");
  }

  @Test
  void pushesFoldersOfStartedExecutors() throws Exception {
    join("7", HERE);
    join("8", THERE);
    assertInstanceOf(Update.class, next("7"));
    report("8", "folder");
    Member started = new Member("8", 1, THERE, "folder", State.JOINED, 3);
    assertEquals(new Update(new MembershipChange(2, 3, List.of(started))), next("7"));
  }

  @Test
  void tellsExecutorsThatJoinWhileTheApplicationEnds() {
    pusher.end();
    assertEquals(new ApplicationEnding(), join("7", HERE));
  }

  @Test
  void pushesEndedShufflesToAllExecutors() throws Exception {
    join("7", HERE);
    pusher.shuffleEnded(FOUR);
    pusher.shuffleEnded(FIVE);
    List<EndedShuffle> told = new ArrayList<>();
    while (told.size() < 2) {
      told.addAll(assertInstanceOf(ShufflesEnded.class, next("7")).shuffles());
    }
    assertEquals(List.of(FOUR, FIVE), told);
  }

  @Test
  void pushesAllEndedShufflesAgainToAnExecutorThatHasMissedSome() throws Exception {
    join("7", HERE);
    pusher.shuffleEnded(FOUR);
    assertEquals(new ShufflesEnded(List.of(FOUR), 0, 1), next("7"));
    pusher.shuffleEnded(FIVE);
    assertEquals(new ShufflesEnded(List.of(FIVE), 1, 2), next("7"));

    reportUsage("7", membership.epoch(), 2);
    reportUsage("7", membership.epoch(), 1);

    assertEquals(new ShufflesEnded(List.of(FOUR, FIVE), 0, 2), next("7"));
    pusher.end();
    assertEquals(new ApplicationEnding(), next("7"), "not after the first report");
  }

  @Test
  void pushesEarlierEndedShufflesToANewExecutor() throws Exception {
    join("7", HERE);
    pusher.shuffleEnded(FOUR);
    assertEquals(new ShufflesEnded(List.of(FOUR), 0, 1), next("7"));
    handler.executorLost("7");
    pusher.shuffleEnded(FIVE);

    join("8", HERE);
    report("8", "one folder");

    // Executor 8 may join before the end of shuffle 5 is pushed, and then receives it twice.
    Set<EndedShuffle> told = new HashSet<>();
    while (told.size() < 2) {
      told.addAll(assertInstanceOf(ShufflesEnded.class, nextBesidesUpdates("8")).shuffles());
    }
    assertEquals(Set.of(FOUR, FIVE), told);
  }

  @Test
  void tellsAllExecutorsOnceIfOneHasNoTables() throws Exception {
    join("7", HERE);
    for (String executor : List.of("7", "8")) {
      handler.receive(
          MessageSerializer.write(new TablesUnavailable(executor, "its self-test failed")));
    }
    TablesOnHost message = new TablesOnHost("executor 7 reports: its self-test failed");
    assertEquals(message, next("7"));
    join("9", THERE);
    assertInstanceOf(Update.class, next("7"));
    report("9", "one folder");
    assertEquals(message, nextBesidesUpdates("9"), "it started later");
  }

  @Test
  void assignsLocalRanksPerMachineNotPerHostName() {
    HostIdentity sameMachine = new HostIdentity("127.0.0.2", HERE.bootId());
    assertEquals(0, ((Welcome) join("7", HERE)).localRank());
    assertEquals(1, ((Welcome) join("8", sameMachine)).localRank());
    assertEquals(0, ((Welcome) join("9", THERE)).localRank());
    assertEquals(1, ((Welcome) join("8", sameMachine)).localRank(), "asked again");
    handler.executorLost("7");
    assertEquals(0, ((Welcome) join("10", HERE)).localRank(), "the lost one's");
    assertEquals(2, ((Welcome) join("11", HERE)).localRank());
  }

  @Test
  void excludesALostExecutorFromADeviceEpoch() {
    join("7", HERE);
    join("8", HERE);
    offer("7", "GPU-0");
    offer("8", "GPU-1");
    handler.executorLost("8");
    assertTrue(
        ask(new DeviceReport("7", new Poll()))
                instanceof DeviceReply(HostHeap(var reason, var unused))
            && reason.contains("PE 1 (executor 8) was lost"));
    assertEquals(new Refusal("executor 8 is not a member"), offer("8", "GPU-1"));
    assertEquals(new Refusal("executor 99 is not a member"), offer("99", "GPU-3"));
  }

  private Message offer(String executorId, String uuid) {
    return ask(
        new DeviceReport(
            executorId,
            new Offer(new GpuOffer("here/boot-1", uuid, "0000:00:00.0", "3.4.5", 1 << 20))));
  }

  @Test
  void answersLookups() {
    join("7", HERE);
    join("8", THERE);
    assertEquals(
        new Update(
            new MembershipChange(1, 2, List.of(new Member("8", 1, THERE, "", State.JOINED, 2)))),
        ask(new Lookup("8", 1)));
  }

  @Test
  void answersInvalidMessagesWithARefusal() {
    assertEquals(
        new Refusal("received String instead of a message"),
        MessageSerializer.read(handler.receive("hello")));
    assertEquals(
        new Refusal("the driver received ApplicationEnding, which only it sends"),
        ask(new ApplicationEnding()));
  }

  /** It cannot read the refusal, and its own report would be refused, too. */
  @Test
  void executorWithAnotherProtocolHasFailedToStart() {
    byte[] join = MessageSerializer.write(new Join("7", HERE, 16, 0));
    byte[] usage =
        MessageSerializer.write(
            new Usage(new UsageReport("7", 1, "", 0, HeapUse.NONE, List.of()), 1, 0));
    join[3]--;
    usage[3]--;
    Message refusal = MessageSerializer.read(handler.receive(new Object[] {join, "7"}));
    assertTrue(
        refusal instanceof Refusal(String reason) && reason.contains("different SymShuffle jars"),
        refusal::toString);
    assertInstanceOf(Refusal.class, MessageSerializer.read(handler.receive(usage)));
    assertEquals(List.of("7 has failed: " + ((Refusal) refusal).reason()), events);
    assertEquals(Set.of(), membership.joined());
  }

  private Message join(String executorId, HostIdentity host) {
    byte[] join = MessageSerializer.write(new Join(executorId, host, 16, 0));
    return MessageSerializer.read(handler.receive(new Object[] {join, executorId}));
  }

  private Message ask(Message message) {
    return MessageSerializer.read(handler.receive(MessageSerializer.write(message)));
  }

  private BlockingQueue<Message> inbox(Object address) {
    return inboxes.computeIfAbsent(address, a -> new LinkedBlockingQueue<>());
  }

  private Message next(String executorId) throws InterruptedException {
    return inbox(executorId).poll(2, TimeUnit.MINUTES);
  }

  /**
   * Changes of the membership are pushed together in rounds: one that was scheduled before an
   * executor joined may already tell it of its own start.
   */
  private Message nextBesidesUpdates(String executorId) throws InterruptedException {
    Message message = next(executorId);
    while (message instanceof Update) {
      message = next(executorId);
    }
    return message;
  }

  private static final class FailingListener implements MembershipListener {
    @Override
    public void joined(Member member) {
      throw new IllegalStateException("a listener that fails");
    }

    @Override
    public void lost(String executorId) {
      throw new IllegalStateException("a listener that fails");
    }
  }

  private final class RecordingListener implements MembershipListener {
    @Override
    public void joined(Member member) {
      events.add("PE %d joined".formatted(member.pe()));
    }

    @Override
    public void started(StartReport report) {
      events.add(
          report.hasFailed()
              ? "%s has failed: %s".formatted(report.executorId(), report.problem())
              : "%s started in %s".formatted(report.executorId(), report.heapFolder()));
    }

    @Override
    public void usesHostHeap(String executorId, String reason) {
      events.add("%s uses the host heap: %s".formatted(executorId, reason));
    }

    @Override
    public void tablesUnavailable(String executorId, String reason) {
      events.add("%s has no tables: %s".formatted(executorId, reason));
    }

    @Override
    public void used(UsageReport report) {
      events.add(report.executorId() + " used");
    }

    @Override
    public void lost(String executorId) {
      events.add(executorId + " lost");
    }
  }
}
