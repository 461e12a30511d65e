// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.nvshmem.UniqueId;
import io.symshuffle.plugin.device.DeviceCoordinator;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceInstruction.Active;
import io.symshuffle.plugin.device.DeviceInstruction.CreateId;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceInstruction.Start;
import io.symshuffle.plugin.device.DeviceInstruction.Wait;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Failed;
import io.symshuffle.plugin.device.DeviceStep.IdCreated;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Opened;
import io.symshuffle.plugin.device.DeviceStep.Poll;
import io.symshuffle.plugin.device.DeviceStep.Started;
import io.symshuffle.plugin.device.GpuOffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The driver's decisions; executors are named after their PEs and have the GPU of that number. */
class NvshmemEpochsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final UniqueId ID = UniqueIds.next();
  private static final long WINDOW = 1L << 30;

  private long now = Long.MAX_VALUE - Duration.ofSeconds(30).toNanos();
  private final List<String> refusals = new ArrayList<>();

  @Test
  void activatesTheHeapsWhenAllExpectedExecutorsHaveStarted() {
    DeviceCoordinator epochs = expecting(3);
    assertEquals(new Wait(), offer(epochs, 1));
    assertEquals(new Wait(), offer(epochs, 0));
    assertEquals(new Wait(), poll(epochs, 0));
    assertEquals(new Wait(), offer(epochs, 2));
    assertEquals(new CreateId(), poll(epochs, 0));
    assertEquals(new Wait(), poll(epochs, 1));
    assertEquals(start(0, 0, 1, 2), say(epochs, 0, new IdCreated(ID)));
    assertEquals(start(1, 0, 1, 2), poll(epochs, 1));
    assertEquals(start(2, 0, 1, 2), poll(epochs, 2));
    assertEquals(new Wait(), ready(epochs, 2));
    assertEquals(new Wait(), ready(epochs, 0));
    assertEquals(0, epochs.activePes());
    assertEquals(new Active(), ready(epochs, 1));
    assertEquals(new Active(), poll(epochs, 0));
    assertEquals(new Active(), poll(epochs, 2));
    assertEquals(3, epochs.activePes());
    assertEquals(List.of(), refusals);
  }

  @Test
  void usesTheSmallestWindowAndNumbersByPe() {
    DeviceCoordinator epochs = expecting(2);
    say(epochs, 9, new Offer(gpu(9, "node", "3.4.5", 2 * WINDOW)));
    say(epochs, 4, new Offer(gpu(4, "node", "3.4.5", WINDOW)));
    assertEquals(start(0, 4, 9), say(epochs, 4, new IdCreated(ID)));
    assertEquals(start(1, 4, 9), poll(epochs, 9));
  }

  @Test
  void sealsOneEpochPerMachine() {
    DeviceCoordinator epochs = expecting(3);
    say(epochs, 0, new Offer(gpu(0, "one", "3.4.5", WINDOW)));
    say(epochs, 1, new Offer(gpu(1, "two", "3.3.9", WINDOW)));
    say(epochs, 2, new Offer(gpu(2, "one", "3.4.5", WINDOW)));
    assertEquals(new CreateId(), poll(epochs, 0));
    assertEquals(new CreateId(), poll(epochs, 1));
    assertEquals(start(0, 1), say(epochs, 1, new IdCreated(ID)));
    assertEquals(new Active(), ready(epochs, 1));
    say(epochs, 0, new IdCreated(UniqueIds.next()));
    epochs.executorLost("2");
    assertOff("PE 2 (executor 2) was lost while device heaps were starting", poll(epochs, 0));
    assertEquals(new Active(), poll(epochs, 1), "a loss on another machine has no effect");
    assertEquals(1, epochs.activePes());
  }

  @Test
  void countsAnExecutorWithoutGpuAsAnswered() {
    DeviceCoordinator epochs = expecting(2);
    assertEquals(new Wait(), offer(epochs, 0));
    assertOff("it has none", say(epochs, 1, new Decline("it has none")));
    assertEquals(new CreateId(), poll(epochs, 0));
    assertEquals(start(0, 0), say(epochs, 0, new IdCreated(ID)));
  }

  @Test
  void countsAnExecutorThatOpenedItsHeapAloneAsAnswered() {
    DeviceCoordinator epochs = expecting(2);
    assertEquals(new Wait(), offer(epochs, 0));
    assertEquals(new Active(), say(epochs, 1, new Opened()));
    assertEquals(1, epochs.activePes());
    assertEquals(new CreateId(), poll(epochs, 0));
    assertEquals(start(0, 0), say(epochs, 0, new IdCreated(ID)));
    assertEquals(new Active(), ready(epochs, 0));
    assertEquals(2, epochs.activePes());
    assertEquals(new Active(), poll(epochs, 1));
  }

  @Test
  void requiresHeapsThatAreOpenedAloneAtTheFirstStartOnly() {
    DeviceCoordinator epochs = epochs(new ExpectedPes(OptionalInt.of(2), "the test"), true);
    assertEquals(new Active(), say(epochs, 0, new Opened()));
    assertEquals(new Active(), say(epochs, 1, new Opened()));
    epochs.executorLost("1");
    assertOff("its GPU is broken", say(epochs, 2, new Decline("its GPU is broken")));
    assertEquals(List.of(), refusals);
  }

  @Test
  void startsNothingWithoutAnyGpu() {
    DeviceCoordinator epochs = expecting(2);
    say(epochs, 0, new Decline("it has none"));
    wait(LIMIT.multipliedBy(3));
    assertOff("it has none", say(epochs, 1, new Decline("it has none")));
    assertEquals(0, epochs.activePes());
  }

  @Test
  void startsWithoutMissingExecutorsAtTheTimeout() {
    DeviceCoordinator epochs = expecting(3);
    offer(epochs, 0);
    offer(epochs, 1);
    wait(LIMIT.minusMillis(1));
    assertEquals(new Wait(), poll(epochs, 0));
    wait(Duration.ofMillis(1));
    assertEquals(new CreateId(), poll(epochs, 0));
    assertEquals(start(0, 0, 1), say(epochs, 0, new IdCreated(ID)));
  }

  @Test
  void sendsLateExecutorsToTheHostHeap() {
    DeviceCoordinator epochs = active(2);
    assertOff(
        "it started too late to join the device epoch of the other executors", offer(epochs, 2));
    assertInstanceOf(HostHeap.class, poll(epochs, 2));
    assertEquals(new Active(), poll(epochs, 0));
    assertEquals(2, epochs.activePes());
  }

  @Test
  void refusesASecondExecutorOnTheSameGpu() {
    DeviceCoordinator epochs = expecting(2);
    offer(epochs, 0);
    assertOff(
        "the GPU GPU-0 at 0000:00:00.0 is already used by PE 0 (executor 0): give each executor its"
            + " own GPU (spark.executor.resource.gpu.amount=1 and a discovery script that lists"
            + " each GPU once)",
        say(epochs, 1, new Offer(gpu(0, "elsewhere", "3.4.5", WINDOW))));
    assertEquals(new CreateId(), poll(epochs, 0), "no wait for the refused executor");
  }

  @Test
  void refusesAnotherNvshmemVersionOnTheSameMachine() {
    DeviceCoordinator epochs = expecting(2);
    offer(epochs, 0);
    assertOff(
        "it has NVSHMEM 3.3.9, but PE 0 (executor 0) on the same machine has 3.4.5: make both use"
            + " the same version (spark.symshuffle.device.nvshmem.home)",
        say(epochs, 1, new Offer(gpu(1, "node", "3.3.9", WINDOW))));
  }

  @Test
  void failsTheEpochWhenOneExecutorFails() {
    DeviceCoordinator epochs = started(3);
    ready(epochs, 0);
    assertOff(
        "PE 1 (executor 1) cannot start: out of memory",
        say(epochs, 1, new Failed("out of memory")));
    assertOff("PE 1 (executor 1) cannot start: out of memory", poll(epochs, 0));
    assertOff("PE 1 (executor 1) cannot start: out of memory", ready(epochs, 2));
    assertEquals(0, epochs.activePes());
  }

  @Test
  void keepsAnActiveEpochWhenAnExecutorIsLost() {
    DeviceCoordinator epochs = active(2);
    epochs.executorLost("1");
    assertEquals(new Active(), poll(epochs, 0));
  }

  @Test
  void formsANewEpochAfterAllExecutorsAreLost() {
    DeviceCoordinator epochs = active(2);
    epochs.executorLost("0");
    assertInstanceOf(HostHeap.class, offer(epochs, 2), "one of the first executors is still alive");
    epochs.executorLost("1");
    assertInstanceOf(HostHeap.class, poll(epochs, 2), "it keeps the host heap");
    epochs.executorLost("2");
    assertEquals(new Wait(), offer(epochs, 3));
    offer(epochs, 4);
    assertEquals(new CreateId(), poll(epochs, 3));
    assertEquals(start(0, 3, 4), say(epochs, 3, new IdCreated(ID)));
    ready(epochs, 3);
    assertEquals(new Active(), ready(epochs, 4));
    assertEquals(2, epochs.activePes());
    epochs.executorLost("3");
    epochs.executorLost("4");
    offer(epochs, 5);
    offer(epochs, 6);
    assertEquals(start(0, 5, 6), say(epochs, 5, new IdCreated(ID)), "for the second time");
  }

  @Test
  void usesHostHeapsWhenNotAllExecutorsComeBackSoon() {
    DeviceCoordinator epochs = active(3);
    List.of("0", "1", "2").forEach(epochs::executorLost);
    offer(epochs, 3);
    offer(epochs, 4);
    wait(Duration.ofMillis(9_999));
    assertEquals(new Wait(), poll(epochs, 3));
    wait(Duration.ofMillis(1));
    String reason = "only 2 of 3 executors with GPUs came back within 10 s of the first one";
    assertOff(reason, poll(epochs, 3));
    assertOff(reason, poll(epochs, 4));
    assertInstanceOf(HostHeap.class, offer(epochs, 5));
    List.of("3", "4", "5").forEach(epochs::executorLost);
    assertInstanceOf(HostHeap.class, offer(epochs, 6), "there is no third wait");
  }

  @Test
  void usesHostHeapsImmediatelyWhenOneComesBackWithoutGpu() {
    DeviceCoordinator epochs =
        activated(epochs(new ExpectedPes(OptionalInt.of(2), "the test"), true), 2);
    List.of("0", "1").forEach(epochs::executorLost);
    offer(epochs, 2);
    say(epochs, 3, new Decline("its memory is not free yet"));
    assertOff(
        "only 1 of 2 executors with GPUs came back within 10 s of the first one", poll(epochs, 2));
    assertEquals(List.of(), refusals, "required applies to the first start only");
  }

  @Test
  void startsANewEpochWithAsManyExecutorsAsBefore() {
    DeviceCoordinator epochs = expecting(3);
    offer(epochs, 0);
    offer(epochs, 1);
    wait(LIMIT);
    say(epochs, 0, new IdCreated(ID));
    ready(epochs, 0);
    assertEquals(new Active(), ready(epochs, 1));
    List.of("0", "1").forEach(epochs::executorLost);
    offer(epochs, 2);
    offer(epochs, 3);
    assertEquals(start(0, 2, 3), say(epochs, 2, new IdCreated(ID)));
  }

  @Test
  void neverRepeatsAFailedStart() {
    DeviceCoordinator epochs = started(2);
    epochs.executorLost("0");
    epochs.executorLost("1");
    assertInstanceOf(HostHeap.class, offer(epochs, 2));
    assertInstanceOf(HostHeap.class, offer(epochs, 3));
  }

  @Test
  void startsTheTimeoutWithTheFirstValidOffer() {
    DeviceCoordinator epochs = epochs(new ExpectedPes(OptionalInt.of(2), "the test"), true);
    offer(epochs, 0);
    wait(LIMIT.minusSeconds(1));
    epochs.executorLost("0");
    wait(Duration.ofSeconds(2));
    assertEquals(new Wait(), offer(epochs, 1));
    offer(epochs, 2);
    assertEquals(start(0, 1, 2), say(epochs, 1, new IdCreated(ID)));
    assertEquals(List.of(), refusals);
  }

  @Test
  void ignoresMessagesOfLostExecutors() {
    DeviceCoordinator epochs = active(2);
    List.of("0", "1").forEach(epochs::executorLost);
    assertOff("executor 1 is lost", offer(epochs, 1));
    offer(epochs, 2);
    offer(epochs, 3);
    assertEquals(start(0, 2, 3), say(epochs, 2, new IdCreated(ID)));
  }

  @Test
  void acceptsAReplacementOnTheSameGpuBeforeSealing() {
    DeviceCoordinator epochs = expecting(2);
    offer(epochs, 0);
    epochs.executorLost("0");
    assertEquals(new Wait(), offer(epochs, 1));
    assertEquals(new Wait(), say(epochs, 2, new Offer(gpu(0, "node", "3.4.5", WINDOW))));
    assertEquals(start(0, 1, 2), say(epochs, 1, new IdCreated(ID)));
  }

  @Test
  void failsTheEpochAtTheTimeout() {
    DeviceCoordinator epochs = started(3);
    ready(epochs, 1);
    wait(LIMIT);
    assertOff(
        "PE 0 (executor 0), PE 2 (executor 2) had not started within 60000 ms", poll(epochs, 1));
    assertOff(
        "PE 0 (executor 0), PE 2 (executor 2) had not started within 60000 ms", ready(epochs, 0));
  }

  @Test
  void countsRepeatedMessagesOnce() {
    DeviceCoordinator epochs = expecting(2);
    offer(epochs, 0);
    assertEquals(new Wait(), offer(epochs, 0));
    offer(epochs, 1);
    say(epochs, 0, new IdCreated(ID));
    assertEquals(
        start(0, 0, 1), say(epochs, 0, new IdCreated(UniqueIds.next())), "the first id is kept");
    ready(epochs, 0);
    assertEquals(new Wait(), ready(epochs, 0));
    assertEquals(new Active(), ready(epochs, 1));
  }

  @Test
  void ignoresAUniqueIdOfAnotherThanTheFirstPe() {
    DeviceCoordinator epochs = expecting(2);
    offer(epochs, 0);
    offer(epochs, 1);
    assertEquals(new Wait(), say(epochs, 1, new IdCreated(ID)));
    assertEquals(new CreateId(), poll(epochs, 0));
  }

  @Test
  void declinesImmediatelyWhenTheNumberOfExecutorsIsUnknown() {
    DeviceCoordinator epochs =
        epochs(new ExpectedPes(OptionalInt.empty(), "nothing is set"), false);
    assertOff(
        "the number of executors with GPUs is unknown (nothing is set): set"
            + " spark.symshuffle.device.pes",
        offer(epochs, 0));
  }

  @Test
  void refusesARequiredHeapAtTheFirstExecutorWithoutGpu() {
    DeviceCoordinator epochs = epochs(new ExpectedPes(OptionalInt.of(2), "the test"), true);
    offer(epochs, 0);
    HostHeap answer =
        assertInstanceOf(HostHeap.class, say(epochs, 1, new Decline("there is no driver")));
    assertTrue(answer.refused());
    assertEquals(
        "spark.symshuffle.device.required is true, but not all executors have device heaps:"
            + " executor 1 has none: there is no driver",
        answer.reason());
    assertEquals(List.of(answer.reason()), refusals);
    assertEquals(answer, poll(epochs, 0));
    say(epochs, 2, new Decline("there is no driver here, too"));
    assertEquals(1, refusals.size());
  }

  @Test
  void refusesARequiredHeapWhenExecutorsAreMissing() {
    DeviceCoordinator epochs = epochs(new ExpectedPes(OptionalInt.of(2), "the test"), true);
    offer(epochs, 0);
    wait(LIMIT);
    HostHeap answer = assertInstanceOf(HostHeap.class, poll(epochs, 0));
    assertEquals(
        "spark.symshuffle.device.required is true, but not all executors have device heaps:"
            + " only 1 of 2 executors (the test) reported a usable GPU within 60 s",
        answer.reason());
    assertEquals(List.of(answer.reason()), refusals);
  }

  @Test
  void refusesARequiredHeapWhenTheStartFails() {
    DeviceCoordinator epochs = epochs(new ExpectedPes(OptionalInt.of(1), "the test"), true);
    offer(epochs, 0);
    HostHeap answer = assertInstanceOf(HostHeap.class, say(epochs, 0, new Failed("it hung")));
    assertTrue(answer.refused());
    assertTrue(refusals.getFirst().endsWith("PE 0 (executor 0) cannot start: it hung"));
  }

  @Test
  void acceptsAReplacementOnTheHostHeapAfterTheFirstStartEvenIfRequired() {
    DeviceCoordinator epochs =
        activated(epochs(new ExpectedPes(OptionalInt.of(2), "the test"), true), 2);
    epochs.executorLost("0");
    HostHeap answer = assertInstanceOf(HostHeap.class, offer(epochs, 2));
    assertTrue(!answer.refused(), answer.reason());
    // Nor is a later epoch that fails.
    epochs.executorLost("1");
    epochs.executorLost("2");
    offer(epochs, 3);
    offer(epochs, 4);
    say(epochs, 3, new Failed("it hung"));
    assertOff("PE 3 (executor 3) cannot start: it hung", poll(epochs, 4));
    assertEquals(List.of(), refusals);
  }

  private DeviceCoordinator active(int pes) {
    return activated(expecting(pes), pes);
  }

  private DeviceCoordinator started(int pes) {
    return started(expecting(pes), pes);
  }

  private static DeviceCoordinator activated(DeviceCoordinator epochs, int pes) {
    started(epochs, pes);
    for (int pe = 0; pe < pes; pe++) {
      ready(epochs, pe);
    }
    return epochs;
  }

  private static DeviceCoordinator started(DeviceCoordinator epochs, int pes) {
    for (int pe = 0; pe < pes; pe++) {
      offer(epochs, pe);
    }
    say(epochs, 0, new IdCreated(ID));
    return epochs;
  }

  private DeviceCoordinator expecting(int pes) {
    return epochs(new ExpectedPes(OptionalInt.of(pes), "the test"), false);
  }

  private DeviceCoordinator epochs(ExpectedPes expected, boolean required) {
    return new DeviceCoordinator(
        new NvshmemEpochs(expected, LIMIT, () -> now), required, refusals::add);
  }

  private void wait(Duration duration) {
    now += duration.toNanos();
  }

  private static DeviceInstruction offer(DeviceCoordinator epochs, int pe) {
    return say(epochs, pe, new Offer(gpu(pe, "node", "3.4.5", WINDOW)));
  }

  private static GpuOffer gpu(int number, String node, String version, long windowBytes) {
    return new GpuOffer(
        node, "GPU-" + number, "0000:%02x:00.0".formatted(number), version, windowBytes);
  }

  private static DeviceInstruction ready(DeviceCoordinator epochs, int pe) {
    return say(epochs, pe, new Started());
  }

  private static DeviceInstruction poll(DeviceCoordinator epochs, int pe) {
    return say(epochs, pe, new Poll());
  }

  private static DeviceInstruction say(DeviceCoordinator epochs, int pe, DeviceStep step) {
    return epochs.handle(Integer.toString(pe), pe, step);
  }

  private static Start start(int index, int... pes) {
    return new Start(ID, index, pes, WINDOW);
  }

  private static void assertOff(String reason, DeviceInstruction answer) {
    assertEquals(new HostHeap(reason, false), answer);
  }
}
