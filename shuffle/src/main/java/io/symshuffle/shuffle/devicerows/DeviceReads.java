// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.RunIndex;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.read.BlockCursor;
import io.symshuffle.shuffle.read.HostCursor;
import io.symshuffle.shuffle.read.LocalSource;
import io.symshuffle.shuffle.read.ReadTask;
import io.symshuffle.shuffle.read.RowReads;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.task.TaskEnd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;

/**
 * Reads the records of one reduce task from all tiers. It checks the indexes before anything is
 * read: if some blocks of an owner are in a device heap that this GPU cannot access, all of that
 * owner's blocks are fetched through Spark's block transfer.
 */
public final class DeviceReads implements RowReads {
  private final ReadTask task;
  private final Optional<DeviceRows> rows;
  private final int myPe;

  /** Map outputs with requested blocks in the HOST or DISK tier. */
  private final List<LocalSource> host = new ArrayList<>();

  /** Requested blocks in the DEVICE tier. */
  private final List<DeviceBlocks> device = new ArrayList<>();

  /** Null until blocks in the DEVICE tier are read. */
  private DeviceCursor cursor;

  /** A {@link RowReads.Factory}. */
  public DeviceReads(ShuffleRuntime runtime, ReadTask task) {
    this(DeviceRows.of(runtime), runtime.myPe(), task);
  }

  /**
   * Starts without map outputs.
   *
   * @param rows access to GPU memory; if empty, blocks in GPU memory cannot be read in place
   * @param myPe this executor's PE, which never fetches its own blocks through block transfer
   */
  DeviceReads(Optional<DeviceRows> rows, int myPe, ReadTask task) {
    this.rows = requireNonNull(rows, "rows is null").filter(DeviceRows::isUsable);
    this.myPe = myPe;
    this.task = requireNonNull(task, "task is null");
  }

  @Override
  public boolean tryAdd(List<LocalSource> ofOwner) {
    List<LocalSource> inHost = new ArrayList<>();
    List<DeviceBlocks> inDevice = new ArrayList<>();
    for (LocalSource source : ofOwner) {
      if (!task.inspect(source, output -> add(source, output, inHost, inDevice))) {
        return false;
      }
    }
    host.addAll(inHost);
    device.addAll(inDevice);
    return true;
  }

  @Override
  public List<BlockCursor> open(TaskContext context) {
    List<BlockCursor> cursors = new ArrayList<>();
    if (!host.isEmpty()) {
      HostCursor cursor = hostCursor();
      TaskEnd.listen(context, cursor::closeDisk);
      cursors.add(cursor);
    }
    if (!device.isEmpty()) {
      long maxBytesInFlight =
          (long) SparkEnv.get().conf().get(package$.MODULE$.REDUCER_MAX_SIZE_IN_FLIGHT()) << 20;
      DeviceCursor fetching = deviceCursor(maxBytesInFlight);
      TaskEnd.listen(context, fetching::close);
      // Fetches continue while the blocks in the host heap are read.
      fetching.start();
      cursors.add(fetching);
    }
    return cursors;
  }

  @Override
  public boolean endReads() {
    return cursor == null || cursor.close();
  }

  /** The cursor over blocks of the HOST and DISK tiers; it skips those of the DEVICE tier. */
  HostCursor hostCursor() {
    return new HostCursor(task, host, (source, run) -> {});
  }

  /** The cursor over blocks of the DEVICE tier; not started. */
  DeviceCursor deviceCursor(long maxBytesInFlight) {
    cursor = new DeviceCursor(task, rows.orElseThrow(), interleaved(), maxBytesInFlight);
    return cursor;
  }

  /** Map outputs with requested blocks in the HOST or DISK tier. */
  List<LocalSource> host() {
    return host;
  }

  /** Requested blocks in the DEVICE tier. */
  List<DeviceBlocks> device() {
    return device;
  }

  /** Adds the requested blocks of a map output; false if some of them cannot be read in place. */
  private boolean add(
      LocalSource source, MapOutput output, List<LocalSource> inHost, List<DeviceBlocks> inDevice) {
    RunIndex index = output.rows().index();
    boolean hostRuns = false;
    for (int number = 0; number < index.runs(); number++) {
      RunView run = index.run(number);
      int first = run.firstBlock(task.request().startPartition());
      int end = run.firstBlock(task.request().endPartition());
      if (first >= end) {
        continue;
      }
      if (run.tier() != Tier.DEVICE) {
        hostRuns = true;
        continue;
      }
      Optional<DeviceRange> memory =
          rows.flatMap(each -> each.tier().rangeOf(source.pe(), run.place(), run.bytes()));
      if (memory.isEmpty()) {
        failIfOwn(source);
        return false;
      }
      inDevice.add(DeviceBlocks.of(source.map(), source.pe(), run, memory.get(), first, end));
    }
    if (hostRuns) {
      inHost.add(source);
    }
    return true;
  }

  private void failIfOwn(LocalSource source) {
    if (source.pe() == myPe) {
      throw task.failures()
          .raise(
              source.map(),
              "it is in the memory of this executor's GPU, which failed or has no such memory",
              null);
    }
  }

  /**
   * Alternates between PEs, starting after this PE, so that not all PEs start with the same owner.
   */
  private List<DeviceBlocks> interleaved() {
    Map<Integer, Deque<DeviceBlocks>> byPe = new TreeMap<>();
    for (DeviceBlocks each : device) {
      byPe.computeIfAbsent(Math.floorMod(each.pe() - myPe - 1, 1 << 30), p -> new ArrayDeque<>())
          .add(each);
    }
    List<DeviceBlocks> turns = new ArrayList<>(device.size());
    while (!byPe.isEmpty()) {
      byPe.values().forEach(ofPe -> turns.add(ofPe.remove()));
      byPe.values().removeIf(Deque::isEmpty);
    }
    return turns;
  }
}
