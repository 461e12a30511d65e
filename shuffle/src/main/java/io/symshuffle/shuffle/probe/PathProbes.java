// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.probe;

import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.output.Pages;
import io.symshuffle.shuffle.probe.PathRates.Kind;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManagerId;

/** The ways that an executor's tasks use, which are measured. Thread-safe; one per executor. */
public final class PathProbes implements AutoCloseable {
  private static final AtomicReference<Consumer<String>> DRIVER =
      new AtomicReference<>(sentence -> {});

  /** Bytes that come from an executor before the way is measured: 32 times those of a probe. */
  private static final long LEAST_FETCHED = 32L * NetworkProbe.BYTES;

  private final ShuffleRuntime runtime;
  private final PathRates rates;
  private final Map<BlockManagerId, LongAdder> fetched = new ConcurrentHashMap<>();

  private PathProbes(ShuffleRuntime runtime) {
    this.runtime = runtime;
    this.rates =
        new PathRates(
            () -> runtime.leases().size() == 0, s -> DRIVER.get().accept(s), runtime.stats());
  }

  /** {@return those of an executor} */
  public static PathProbes of(ShuffleRuntime runtime) {
    return runtime.shared(PathProbes.class, () -> new PathProbes(runtime));
  }

  /** Sets who is told of slow ways of this process. */
  public static void onSlow(Consumer<String> driver) {
    DRIVER.set(driver);
  }

  /**
   * A task fetches blocks from an executor through Spark's block transfer. Probes would be most of
   * what small jobs send.
   *
   * @param bytes their size, as Spark's tracker estimates it
   */
  public void fetch(BlockManagerId from, long bytes) {
    if (fetched.size() >= PathRates.MAX_WAYS && !fetched.containsKey(from)) {
      return; // no further way is measured, and executors may come and go for months
    }
    LongAdder all = fetched.computeIfAbsent(from, unused -> new LongAdder());
    all.add(bytes);
    if (all.sum() < LEAST_FETCHED) {
      return;
    }
    rates.use(
        Kind.NETWORK,
        "executor %s on %s".formatted(from.executorId(), from.hostPort()),
        () -> new NetworkProbe(SparkEnv.get().blockManager().blockStoreClient(), from).move());
  }

  /** A task reads map outputs of another PE in place. */
  public void readInPlace(int pe) {
    if (pe == runtime.myPe()) {
      return;
    }
    rates.use(Kind.SHARED_MEMORY, "PE " + pe, () -> readDirectory(pe));
    runtime.device().ifPresent(device -> useGpu(device, pe));
  }

  private void useGpu(DeviceTier device, int pe) {
    rates.use(Kind.GPU, "PE " + pe, new DeviceProbe(device, pe));
  }

  /** Reads what each PE has from its start. */
  private long readDirectory(int pe) {
    Optional<MemorySegment> window = runtime.window(pe);
    if (window.isEmpty()) {
      return 0;
    }
    long bytes = ControlDescriptor.tableOffset(1);
    MemorySegment directory = window.get().asSlice(0, bytes);
    // A checksum of a missing page would end this process.
    Pages.touch(directory);
    var unused = Crc32c.of(directory, 0, bytes);
    return bytes;
  }

  @Override
  public void close() {
    rates.close();
  }
}
