// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapFolder;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.nvml.Nvml;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemSearch;
import io.symshuffle.plugin.bootstrap.Member.State;
import io.symshuffle.plugin.bootstrap.Message.DeviceReply;
import io.symshuffle.plugin.bootstrap.Message.DeviceReport;
import io.symshuffle.plugin.bootstrap.Message.End;
import io.symshuffle.plugin.bootstrap.Message.Join;
import io.symshuffle.plugin.bootstrap.Message.Lookup;
import io.symshuffle.plugin.bootstrap.Message.Refusal;
import io.symshuffle.plugin.bootstrap.Message.Report;
import io.symshuffle.plugin.bootstrap.Message.Table;
import io.symshuffle.plugin.bootstrap.Message.Welcome;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceNews.HostHeap;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecutorMemberTest {
  private static final HostIdentity HERE = new HostIdentity("here", "boot-1");
  private static final Member OTHER = new Member("3", 0, HERE, State.JOINED, 1);
  private static final Member SELF = new Member("7", 1, HERE, State.JOINED, 2);

  private static final Member ASKED_FOR = new Member("9", 3, HERE, State.JOINED, 4);

  private static final DeviceLibraries NO_GPU =
      new DeviceLibraries(
          () -> CudaDriver.open(List.of("/nowhere/libcuda.so.1")),
          () -> Nvml.open(List.of("/nowhere/libnvidia-ml.so.1")),
          home -> NvshmemLibrary.open(NvshmemSearch.here(Optional.of(Path.of("/nowhere")))),
          () -> new KernelImage(Optional.empty()));

  @TempDir private Path temp;
  private Path memory;
  private final FolderToken token = FolderToken.random();
  private final FakeSide side = new FakeSide();
  private final ProcessEnd process = new ProcessEnd();
  private final ExecutorMember member = new ExecutorMember(context -> side, NO_GPU, process);

  @BeforeEach
  void makeFolder() throws IOException {
    memory = Files.createDirectory(temp.resolve("memory"));
    side.localDir = temp;
  }

  @AfterEach
  void shutDown() {
    side.onMessage.accept(new End());
    member.shutdown();
  }

  @Test
  void becomesThePeThatTheDriverSays() {
    FakeContext context = context(this::driver);
    member.init(context, Map.of());
    ShuffleRuntime runtime = ShuffleRuntime.require();
    assertEquals(1, runtime.myPe());
    assertEquals(OptionalInt.of(0), runtime.peOf("3"));
    assertEquals(
        List.of(
            new Report(
                "7",
                1 << 20,
                memory.toString(),
                HeapFolder.open(memory, token, temp).identity(),
                Optional.empty())),
        context.told());
    assertTrue(context.metricRegistry().getNames().contains("heap.used.bytes"));
  }

  @Test
  void learnsOfNewcomersByPushAndByAsking() {
    member.init(context(this::driver), Map.of());
    Member pushed = new Member("8", 2, HERE, State.JOINED, 3);
    side.onMessage.accept(new Table(new TableChange(2, 3, List.of(pushed))));
    assertEquals(OptionalInt.of(2), ShuffleRuntime.require().peOf("8"));
    assertEquals(OptionalInt.of(3), ShuffleRuntime.require().peOf("9"));
    assertEquals(OptionalInt.empty(), ShuffleRuntime.require().peOf("10"));
  }

  @Test
  void worksWithoutAPushAddress() {
    side.pushAddress = Optional.empty();
    member.init(context(this::driver), Map.of());
    assertEquals(OptionalInt.of(3), ShuffleRuntime.require().peOf("9"));
  }

  @Test
  void worksAloneWhenTheDriverRefuses() {
    FakeContext context = context(message -> Messages.encode(new Refusal("No room.")));
    member.init(context, Map.of());
    ShuffleRuntime runtime = ShuffleRuntime.require();
    assertEquals(runtime.myPe(), runtime.peOf("7").orElseThrow());
    assertEquals(OptionalInt.empty(), runtime.peOf("3"));
    assertEquals(
        "Executor 7 could not join (The driver refuses: No room.) and works alone: blocks to and"
            + " from other executors travel through Spark's block transfer. If the driver is only"
            + " slow, raise spark.symshuffle.join.timeout.",
        ((Report) context.told().getFirst()).trouble().orElseThrow());
  }

  @Test
  void worksAloneWhenTheDriverIsSilent() {
    FakeContext context = context(message -> new CountDownLatch(1).await(30, TimeUnit.SECONDS));
    context.conf().set("spark.symshuffle.join.timeout", "100ms");
    member.init(context, Map.of());
    assertEquals(OptionalInt.empty(), ShuffleRuntime.require().peOf("3"));
  }

  @Test
  void withoutAnyRoomItStillStartsAndTasksFailWithTheReason() throws IOException {
    side.localDir = temp.resolve("missing");
    FakeContext context = context(this::driver);
    context.conf().set("spark.symshuffle.heap.dir", temp.resolve("missing").toString());
    member.init(context, Map.of());
    String reason = assertThrows(IllegalStateException.class, ShuffleRuntime::require).getMessage();
    assertTrue(
        reason.contains("SymShuffle could not start on executor 7: no room for the heap"), reason);
    assertTrue(
        reason.contains(((Report) context.told().getFirst()).trouble().orElseThrow()), reason);
  }

  @Test
  void aFaultOfOursDoesNotKillTheExecutor() {
    side.fault = Optional.of(new NoSuchMethodError("of another Spark"));
    member.init(context(this::driver), Map.of());
    String reason = assertThrows(IllegalStateException.class, ShuffleRuntime::require).getMessage();
    assertTrue(reason.contains("java.lang.NoSuchMethodError: of another Spark"), reason);
  }

  @Test
  void switchedOffItDoesNothing() throws IOException {
    FakeContext context =
        context(
            message -> {
              throw new AssertionError("nobody is asked");
            });
    context.conf().set("spark.symshuffle.enabled", "false");
    member.init(context, Map.of());
    assertEquals(Optional.empty(), ShuffleRuntime.current());
    assertEquals(List.of(), context.told());
  }

  @Test
  void leavesNothingBehindWhenTheApplicationEnds() throws IOException {
    member.init(context(this::driver), Map.of());
    try (var entries = Files.list(memory)) {
      assertEquals(1, entries.count());
    }
    side.onMessage.accept(new End());
    member.shutdown();
    assertFalse(ShuffleRuntime.current().isPresent());
    try (var entries = Files.list(memory)) {
      assertEquals(0, entries.count());
    }
  }

  @Test
  void aProcessThatEndsWhileItJoinsMakesNoHeap() throws Exception {
    member.init(
        context(
            message -> {
              if (message instanceof Join) {
                process.end();
              }
              return driver(message);
            }),
        Map.of());
    process.await();
    assertEquals(List.of(), entries(memory));
    String reason = assertThrows(IllegalStateException.class, ShuffleRuntime::require).getMessage();
    assertTrue(reason.contains("this process ends."), reason);
  }

  @Test
  void aProcessThatEndsOnceTheHeapIsMadeRemovesItAfterTheStart() throws Exception {
    FakeContext context = context(this::driver);
    context.onTold(
        message -> {
          assertEquals(1, entries(memory).size());
          side.onMessage.accept(new End());
          process.end();
        });
    member.init(context, Map.of());
    process.await();
    assertEquals(List.of(), entries(memory));
    assertFalse(ShuffleRuntime.current().isPresent());
  }

  @Test
  void aProcessThatEndsWhileOtherPluginsStartRemovesTheHeap() throws Exception {
    member.init(context(this::driver), Map.of());
    assertEquals(1, entries(memory).size());
    side.onMessage.accept(new End());
    process.end();
    process.await();
    assertEquals(List.of(), entries(memory));
  }

  @Test
  void onceThereAreTasksTheEndOfTheProcessIsForSparkToTell() {
    member.init(context(this::driver), Map.of());
    assertTrue(process.hook.isPresent());
    member.onTaskStart();
    assertEquals(Optional.empty(), process.hook);
    member.onTaskSucceeded();
  }

  @Test
  void soItIsAfterAnEndThatSparkHasTold() {
    member.init(context(this::driver), Map.of());
    side.onMessage.accept(new End());
    member.shutdown();
    assertEquals(Optional.empty(), process.hook);
  }

  private static List<Path> entries(Path folder) {
    try (var entries = Files.list(folder)) {
      return entries.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private FakeContext context(FakeContext.Driver driver) {
    FakeContext context = new FakeContext(driver);
    context
        .conf()
        .set("spark.symshuffle.heap.dir", memory.toString())
        .set("spark.symshuffle.heap.size", "1m");
    return context;
  }

  private Object driver(Message message) {
    return Messages.encode(
        switch (message) {
          case Join(var id, var host, var processors, var cores, var address) -> {
            assertEquals("7", id);
            assertEquals(HERE, host);
            assertTrue(processors > 0);
            assertEquals(OptionalInt.of(4), cores);
            assertEquals(side.pushAddress, address);
            yield new Welcome(token, 1, 2, 1, new TableChange(0, 2, List.of(OTHER, SELF)));
          }
          case DeviceReport(var _, var step) -> {
            assertTrue(step instanceof Decline, () -> "" + step);
            yield new DeviceReply(new HostHeap(((Decline) step).reason(), false));
          }
          case Lookup(var _, var since) ->
              new Table(new TableChange(since, 4, since < 4 ? List.of(ASKED_FOR) : List.of()));
          default -> throw new AssertionError("nobody asks that: " + message);
        });
  }

  /** As in a JVM: hooks run beside the other threads, and cannot be taken back from then on. */
  private static final class ProcessEnd implements EndDuringStart.Hooks {
    private Optional<Thread> hook = Optional.empty();
    private boolean ended;

    @Override
    public synchronized void add(Thread added) {
      hook = Optional.of(added);
    }

    @Override
    public synchronized void remove(Thread removed) {
      if (ended) {
        throw new IllegalStateException("Shutdown in progress");
      }
      assertEquals(Optional.of(removed), hook);
      hook = Optional.empty();
    }

    /** Returns once the hook waits for the start, or has run. */
    void end() {
      Thread thread;
      synchronized (this) {
        ended = true;
        thread = hook.orElseThrow();
      }
      thread.start();
      long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
      while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
        assertTrue(System.nanoTime() < limit, "the hook does not wait for the start");
        Thread.onSpinWait();
      }
    }

    void await() throws InterruptedException {
      hook.orElseThrow().join(10_000);
      assertFalse(hook.orElseThrow().isAlive());
    }
  }

  private static final class FakeSide implements ExecutorSide {
    private Consumer<Message> onMessage = message -> {};
    private Optional<Object> pushAddress = Optional.of("an address");
    private Path localDir;
    private Optional<Error> fault = Optional.empty();

    @Override
    public boolean isLocal() {
      return false;
    }

    @Override
    public HostIdentity host() {
      fault.ifPresent(
          error -> {
            throw error;
          });
      return HERE;
    }

    @Override
    public OptionalInt cores() {
      return OptionalInt.of(4);
    }

    @Override
    public List<String> gpuAddresses() {
      return List.of();
    }

    @Override
    public Path localDir() {
      return localDir;
    }

    @Override
    public Optional<Object> openPushEndpoint(Consumer<Message> consumer, Runnable onDriverGone) {
      onMessage = consumer;
      return pushAddress;
    }
  }
}
