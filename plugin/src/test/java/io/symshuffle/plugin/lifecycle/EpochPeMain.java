// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.heap.PeMain;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.nvml.Nvml;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemSearch;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.membership.HostIdentity;
import io.symshuffle.plugin.membership.Message;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.output.DiskEncryption;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.table.TableEngines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;

/**
 * An executor without Spark and without a GPU: the real plugin with fake libraries and a driver
 * behind a socket. Takes steps like {@link PeMain}: {@code STATE}, {@code FILL}, {@code READ n},
 * {@code MEMORY}, {@code TASK}.
 */
final class EpochPeMain {
  private static final long PLACE = 64L << 10;
  private static final int BYTES = 4096;

  private EpochPeMain() {}

  /** Arguments: port of the driver, executor id, folder, then settings as key=value. */
  public static void main(String[] arguments) throws Exception {
    String id = arguments[1];
    Path folder = Path.of(arguments[2]);
    Path memory = folder.resolve("memory");
    SparkConf conf =
        new SparkConf(false)
            .set("spark.symshuffle.heap.dir", memory.toString())
            .set("spark.symshuffle.heap.size", "1m");
    for (String setting : List.of(arguments).subList(3, arguments.length)) {
      String[] parts = setting.split("=", 2);
      conf.set(parts[0], parts[1]);
    }
    SocketPluginContext context = new SocketPluginContext(Integer.parseInt(arguments[0]), id, conf);
    Path own = Files.createDirectories(folder.resolve("executor-" + id));
    SymShuffleExecutorPlugin plugin =
        new SymShuffleExecutorPlugin(
            any -> new Environment(context, List.of(own)),
            fakes(folder.resolve("cuda-" + id), folder.resolve("nvshmem-" + id)),
            StartupShutdownHook.Hooks.ofProcess(),
            Duration.ZERO);
    plugin.init(context, Map.of());
    System.out.println(PeMain.DONE + state());
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      try {
        System.out.println(PeMain.DONE + answer(plugin, line.split(" ", -1)));
      } catch (Throwable e) {
        e.printStackTrace(System.out);
        System.out.println(PeMain.FAILED + e);
      }
    }
    plugin.shutdown();
    System.exit(0);
  }

  private static DeviceLibraries fakes(Path cuda, Path nvshmem) {
    return new DeviceLibraries(
        () -> CudaDriver.open(List.of(FakeLibraries.cuda(cuda).toString())),
        () -> Nvml.open(List.of(cuda.resolve("libnvidia-ml.so.1").toString())),
        home -> {
          if (!Files.exists(nvshmem.resolve("libnvshmem_host.so.3"))) {
            FakeLibraries.nvshmem(nvshmem);
          }
          return NvshmemLibrary.open(NvshmemSearch.here(Optional.of(nvshmem)));
        },
        () -> new KernelImage(Optional.of(new byte[16])));
  }

  /** The number of PEs of the epoch and whether all are alive, or why tasks fail. */
  private static String state() {
    Optional<ShuffleRuntime> runtime = ShuffleRuntime.current();
    if (runtime.isEmpty()) {
      try {
        ShuffleRuntime.require();
      } catch (IllegalStateException e) {
        return e.getMessage();
      }
    }
    return runtime
        .flatMap(ShuffleRuntime::device)
        .map(
            tier ->
                "PE %d of %d, %s"
                    .formatted(
                        tier.heap().myPe(),
                        tier.heap().pes().size(),
                        tier.isWhole() ? "whole" : "broken"))
        .orElse("host heap");
  }

  private static String answer(SymShuffleExecutorPlugin plugin, String[] words) throws IOException {
    return switch (words[0]) {
      case "STATE" -> state();
      case "MEMORY" -> (deviceMemory() >> 20) + " MiB";
      case "TASK" -> {
        plugin.onTaskStart();
        plugin.onTaskSucceeded();
        yield "ran";
      }
      case "ENGINE" -> {
        TableEngines.starting();
        yield "starting";
      }
      case "FILL" -> {
        DeviceTier tier = tier();
        // The first slab of a heap.
        assertEquals(PLACE, tier.slabs().allocate(BYTES).orElseThrow().offset());
        try (CudaStream stream = tier.context().newStream()) {
          stream.fill(tier.window().slice(PLACE, BYTES), (byte) (100 + tier.heap().myPe()));
          stream.synchronize();
        }
        yield "filled";
      }
      case "READ" -> {
        int pe = Integer.parseInt(words[1]);
        yield "read " + read(tier(), tier().heap().range(pe, PLACE, BYTES).orElseThrow());
      }
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  /** How much memory of the fake GPU this process has created, or imported. */
  private static long deviceMemory() throws IOException {
    long bytes = 0;
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors.toList()) {
        try {
          if (Files.readSymbolicLink(descriptor).toString().contains("symshuffle-fake-gpu")) {
            bytes += Files.size(descriptor);
          }
        } catch (NoSuchFileException e) {
          // Closed by another thread meanwhile.
        }
      }
    }
    return bytes;
  }

  private static int read(DeviceTier tier, DeviceRange range) {
    try (Arena arena = Arena.ofConfined();
        CudaStream stream = tier.context().newStream()) {
      MemorySegment copy = arena.allocate(range.bytes());
      stream.copyOut(copy, range);
      stream.synchronize();
      return copy.get(ValueLayout.JAVA_BYTE, range.bytes() - 1);
    }
  }

  private static DeviceTier tier() {
    return ShuffleRuntime.require().device().orElseThrow();
  }

  private record Environment(SocketPluginContext context, List<Path> localDirs)
      implements ExecutorEnvironment {
    @Override
    public boolean isLocal() {
      return false;
    }

    @Override
    public HostIdentity host() {
      return HostIdentity.local("here");
    }

    @Override
    public int cores() {
      return 1;
    }

    @Override
    public List<String> gpuAddresses() {
      return List.of();
    }

    @Override
    public Optional<DiskEncryption> diskEncryption() {
      return Optional.empty();
    }

    @Override
    public Optional<Object> openPushEndpoint(Consumer<Message> onMessage, Runnable onDriverGone) {
      context.receive(onMessage);
      return Optional.of(context.executorID());
    }
  }
}
