// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.nvml.Nvml;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemSearch;
import io.symshuffle.plugin.config.JarVersion;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.membership.FakeContext;
import io.symshuffle.plugin.membership.HostIdentity;
import io.symshuffle.plugin.membership.Member;
import io.symshuffle.plugin.membership.Member.State;
import io.symshuffle.plugin.membership.MembershipChange;
import io.symshuffle.plugin.membership.Message;
import io.symshuffle.plugin.membership.Message.ApplicationEnding;
import io.symshuffle.plugin.membership.Message.DeviceReply;
import io.symshuffle.plugin.membership.Message.DeviceReport;
import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.Lookup;
import io.symshuffle.plugin.membership.Message.Refusal;
import io.symshuffle.plugin.membership.Message.StartReport;
import io.symshuffle.plugin.membership.Message.Update;
import io.symshuffle.plugin.membership.Message.Welcome;
import io.symshuffle.plugin.membership.MessageSerializer;
import io.symshuffle.shuffle.output.DiskEncryption;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SymShuffleExecutorPluginTest {
  private static final HostIdentity HERE = new HostIdentity("here", "boot-1");
  private static final Member OTHER = new Member("3", 0, HERE, "", State.JOINED, 1);
  private static final Member SELF = new Member("7", 1, HERE, "", State.JOINED, 2);

  private static final Member ASKED_FOR = new Member("9", 3, HERE, "", State.JOINED, 4);

  private static final Duration PAUSE = Duration.ofMillis(200);

  private static final DeviceLibraries NO_GPU =
      new DeviceLibraries(
          () -> CudaDriver.open(List.of("/nowhere/libcuda.so.1")),
          () -> Nvml.open(List.of("/nowhere/libnvidia-ml.so.1")),
          home -> NvshmemLibrary.open(NvshmemSearch.here(Optional.of(Path.of("/nowhere")))),
          () -> new KernelImage(Optional.empty()));

  @TempDir private Path temp;
  private Path memory;
  private final FolderToken token = FolderToken.random();
  private final FakeEnvironment environment = new FakeEnvironment();
  private final ProcessEnd process = new ProcessEnd();
  private final SymShuffleExecutorPlugin plugin =
      new SymShuffleExecutorPlugin(context -> environment, NO_GPU, process, PAUSE);

  @BeforeEach
  void makeFolder() throws IOException {
    memory = Files.createDirectory(temp.resolve("memory"));
    environment.localDir = temp;
  }

  @AfterEach
  void shutDown() {
    environment.onMessage.accept(new ApplicationEnding());
    plugin.shutdown();
  }

  @Test
  void becomesThePeThatTheDriverAssigns() {
    FakeContext context = context(this::driver);
    plugin.init(context, Map.of());
    ShuffleRuntime runtime = ShuffleRuntime.require();
    assertEquals(1, runtime.myPe());
    assertEquals(OptionalInt.of(0), runtime.peers().findPe("3"));
    assertEquals(
        List.of(
            new StartReport(
                "7",
                1 << 20,
                memory.toString(),
                HeapFolder.open(memory, token, List.of(temp)).identity(),
                "")),
        reports(context));
    assertEquals(environment.pushAddress, context.pushAddress());
    assertTrue(context.metricRegistry().getNames().contains("heap.used.bytes"));
  }

  @Test
  void learnsOfOtherExecutorsByPushAndLookup() {
    plugin.init(context(this::driver), Map.of());
    Member pushed = new Member("8", 2, HERE, "", State.JOINED, 3);
    environment.onMessage.accept(new Update(new MembershipChange(2, 3, List.of(pushed))));
    assertEquals(OptionalInt.of(2), ShuffleRuntime.require().peers().findPe("8"));
    assertEquals(OptionalInt.of(3), ShuffleRuntime.require().peers().findPe("9"));
    assertEquals(OptionalInt.empty(), ShuffleRuntime.require().peers().findPe("10"));
  }

  @Test
  void worksAloneWhenTheDriverRefuses() {
    FakeContext context = context(message -> MessageSerializer.write(new Refusal("No room.")));
    plugin.init(context, Map.of());
    ShuffleRuntime runtime = ShuffleRuntime.require();
    assertEquals(runtime.myPe(), runtime.peers().findPe("7").orElseThrow());
    assertEquals(OptionalInt.empty(), runtime.peers().findPe("3"));
    assertEquals(
        "Executor 7 cannot join (the driver refuses: No room.) and works alone: blocks to and"
            + " from other executors travel through Spark's block transfer.",
        reports(context).getFirst().problem());
  }

  @Test
  void startsWithoutRoomForTheHeapAndFailsTasksWithTheReason() throws IOException {
    environment.localDir = temp.resolve("missing");
    FakeContext context = context(this::driver);
    context.conf().set("spark.symshuffle.heap.dir", temp.resolve("missing").toString());
    plugin.init(context, Map.of());
    String reason = assertThrows(IllegalStateException.class, ShuffleRuntime::require).getMessage();
    assertTrue(
        reason.contains("SymShuffle cannot start on executor 7: no space for the heap"), reason);
    assertTrue(reason.contains(reports(context).getFirst().problem()), reason);
  }

  /** The layouts of memory and of answers may differ. */
  @Test
  void doesNotStartWithAnotherVersionThanTheDriver() {
    Map<String, String> older =
        JarVersion.forExecutors().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, own -> own.getValue() + "-older"));
    assertEquals(1, older.size());
    FakeContext context = context(this::driver);
    plugin.init(context, older);
    assertTrue(reports(context).getFirst().hasFailed());
    String reason = assertThrows(IllegalStateException.class, ShuffleRuntime::require).getMessage();
    assertTrue(reason.contains("but the driver has SymShuffle"), reason);

    plugin.init(context, JarVersion.forExecutors());
    assertEquals(1, ShuffleRuntime.require().myPe());
  }

  @Test
  void survivesAnUnexpectedError() {
    environment.fault = Optional.of(new NoSuchMethodError("of another Spark"));
    FakeContext context = context(this::driver);
    long begin = System.nanoTime();
    plugin.init(context, Map.of());
    assertTrue(System.nanoTime() - begin >= PAUSE.toNanos(), "tasks come at once");
    assertTrue(reports(context).getFirst().hasFailed());
    String reason = assertThrows(IllegalStateException.class, ShuffleRuntime::require).getMessage();
    assertTrue(reason.contains("java.lang.NoSuchMethodError: of another Spark"), reason);
  }

  @Test
  void doesNothingWhenDisabled() throws IOException {
    FakeContext context =
        context(
            message -> {
              throw new AssertionError("nobody is asked");
            });
    context.conf().set("spark.symshuffle.enabled", "false");
    plugin.init(context, Map.of());
    assertEquals(Optional.empty(), ShuffleRuntime.current());
    assertEquals(List.of(), context.told());
  }

  @Test
  void createsNoHeapWhenTheProcessEndsWhileJoining() throws Exception {
    plugin.init(
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
    assertTrue(reason.contains("this process is ending"), reason);
  }

  @Test
  void createsNoHeapWhenTheApplicationEnds() {
    plugin.init(
        context(
            message ->
                message instanceof Join
                    ? MessageSerializer.write(new ApplicationEnding())
                    : driver(message)),
        Map.of());
    assertEquals(List.of(), entries(memory));
    String reason = assertThrows(IllegalStateException.class, ShuffleRuntime::require).getMessage();
    assertTrue(reason.contains("the application is ending"), reason);
  }

  @Test
  void removesTheHeapWhenTheProcessEndsDuringTheStart() throws Exception {
    FakeContext context = context(this::driver);
    context.onTold(
        message -> {
          if (message instanceof StartReport) {
            assertEquals(1, entries(memory).size());
            environment.onMessage.accept(new ApplicationEnding());
            process.end();
          }
        });
    plugin.init(context, Map.of());
    process.await();
    assertEquals(List.of(), entries(memory));
    assertFalse(ShuffleRuntime.current().isPresent());
  }

  @Test
  void removesTheHeapWhenTheProcessEndsWhileOtherPluginsStart() throws Exception {
    plugin.init(context(this::driver), Map.of());
    assertEquals(1, entries(memory).size());
    environment.onMessage.accept(new ApplicationEnding());
    process.end();
    process.await();
    assertEquals(List.of(), entries(memory));
  }

  @Test
  void stopsWatchingTheProcessWithTheFirstTask() {
    plugin.init(context(this::driver), Map.of());
    assertTrue(process.hook.isPresent());
    plugin.onTaskStart();
    assertEquals(Optional.empty(), process.hook);
    plugin.onTaskSucceeded();
  }

  /** What the driver was told about the start; after a second it is also told about the heap. */
  private static List<StartReport> reports(FakeContext context) {
    synchronized (context.told()) {
      return context.told().stream()
          .filter(StartReport.class::isInstance)
          .map(StartReport.class::cast)
          .toList();
    }
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
    return MessageSerializer.write(
        switch (message) {
          case Join(var id, var host, var processors, var cores) -> {
            assertEquals("7", id);
            assertEquals(HERE, host);
            assertTrue(processors > 0);
            assertEquals(4, cores);
            yield new Welcome(token, 1, 2, 1, new MembershipChange(0, 2, List.of(OTHER, SELF)));
          }
          case DeviceReport(var unused, var step) -> {
            assertTrue(step instanceof Decline, () -> "" + step);
            yield new DeviceReply(new HostHeap(((Decline) step).reason(), false));
          }
          case Lookup(var unused, var since) ->
              new Update(
                  new MembershipChange(since, 4, since < 4 ? List.of(ASKED_FOR) : List.of()));
          default -> throw new AssertionError("nobody asks that: " + message);
        });
  }

  /** Like a JVM: hooks run concurrently, and cannot be unregistered from then on. */
  private static final class ProcessEnd implements StartupShutdownHook.Hooks {
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

    /** Returns when the hook waits for the start or has run. */
    void end() {
      Thread thread;
      synchronized (this) {
        ended = true;
        thread = hook.orElseThrow();
      }
      thread.start();
      long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
        assertTrue(System.nanoTime() < limit, "the hook does not wait for the start");
        Thread.onSpinWait();
      }
    }

    void await() throws InterruptedException {
      hook.orElseThrow().join(60_000);
      assertFalse(hook.orElseThrow().isAlive());
    }
  }

  private static final class FakeEnvironment implements ExecutorEnvironment {
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
    public int cores() {
      return 4;
    }

    @Override
    public List<String> gpuAddresses() {
      return List.of();
    }

    @Override
    public List<Path> localDirs() {
      return List.of(localDir);
    }

    @Override
    public Optional<DiskEncryption> diskEncryption() {
      return Optional.empty();
    }

    @Override
    public Optional<Object> openPushEndpoint(Consumer<Message> consumer, Runnable onDriverGone) {
      onMessage = consumer;
      return pushAddress;
    }
  }
}
