// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static io.symshuffle.shuffle.read.Reading.SHUFFLE;
import static io.symshuffle.shuffle.read.Reading.drain;
import static io.symshuffle.shuffle.read.Reading.source;
import static io.symshuffle.shuffle.read.Reading.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.SeededRandom;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.MapOutputs;
import io.symshuffle.shuffle.output.Owner;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutput;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.read.ChainedCursor;
import io.symshuffle.shuffle.read.FakeMetrics;
import io.symshuffle.shuffle.read.LocalSource;
import io.symshuffle.shuffle.read.ReadTask;
import io.symshuffle.shuffle.read.TwoDevices;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.serve.Compressors;
import io.symshuffle.shuffle.serve.ServedBlock;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two PEs with device heaps on fakes of CUDA and NVSHMEM that run the real kernels on the CPU, with
 * helpers to write records on one PE and read them on the other.
 */
@ExtendWith(SeededRandom.class)
abstract class DeviceRowsHarness {
  static final long DEVICE_BYTES = 2L << 20;
  static final long HOST_BYTES = 2L << 20;
  static final int BUFFER_BYTES = 16 << 10;
  static final int PARTITIONS = 40;
  static final Duration GPU_LIMIT = Duration.ofMillis(300);

  @TempDir Path folder;
  final Windows windows = new Windows();
  private TwoDevices devices;
  DeviceTier[] tiers;
  final DeviceRows[] rows = new DeviceRows[2];
  final Owner[] owners = new Owner[2];
  final ShuffleStats stats = new ShuffleStats();

  @BeforeEach
  void start() throws Exception {
    devices = new TwoDevices(folder, DEVICE_BYTES);
    tiers = devices.start();
    for (int pe = 0; pe < TwoDevices.COUNT; pe++) {
      Path disk = Files.createDirectory(folder.resolve("disk" + pe));
      owners[pe] = Owner.add(windows, HOST_BYTES, tiers[pe].slabs(), disk);
      rows[pe] = new DeviceRows(tiers[pe], BUFFER_BYTES, GPU_LIMIT);
    }
  }

  @AfterEach
  void end() {
    for (DeviceRows each : rows) {
      if (each != null) {
        each.close();
      }
    }
    devices.close();
    windows.close();
  }

  /** Also counts remote blocks, which are pulled from other PEs' GPUs. */
  static final class Metrics extends FakeMetrics {
    private long remoteBlocks;
    private long remoteBytes;

    @Override
    public void incRemoteBlocksFetched(long blocks) {
      remoteBlocks += blocks;
    }

    @Override
    public void incRemoteBytesRead(long bytes) {
      remoteBytes += bytes;
    }

    @Override
    public void incFetchWaitTime(long millis) {
      assertTrue(millis >= 0);
    }

    void assertEqual(ShuffleStats stats, long pulledBefore) {
      assertEquals(stats.pulledBytes() - pulledBefore, remoteBytes);
      assertEquals(remoteBytes > 0, remoteBlocks > 0);
    }
  }

  Records write(int pe, int map, int count, int maxBytes, Random random) throws IOException {
    return write(pe, map, count, maxBytes, random, false);
  }

  Records write(int pe, int map, int count, int maxBytes, Random random, boolean host)
      throws IOException {
    Records records = Records.random(random, count, PARTITIONS, maxBytes);
    if (host) {
      owners[pe].publish(id(map), List.of(records), List.of(Tier.HOST));
      return records;
    }
    RowWriterAccess writer = writer(pe, map, PARTITIONS);
    for (int round = 0, left = count; left > 0; round++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        if (round < records.of(partition).size()) {
          writer.append(partition, records.of(partition).get(round));
          left--;
        }
      }
    }
    writer.commit();
    return records;
  }

  RowWriterAccess writer(int pe, int map, int partitions) {
    RowOutputBuilder sink = owners[pe].store.buildRows(id(map), partitions);
    return RowWriterAccess.open(rows[pe], sink, partitions, true, stats).orElseThrow();
  }

  List<Slab> takeAll(int pe) {
    List<Slab> taken = new ArrayList<>();
    for (long bytes : new long[] {64 << 10, 64}) {
      for (Optional<Slab> slab = tiers[pe].slabs().allocate(bytes);
          slab.isPresent();
          slab = tiers[pe].slabs().allocate(bytes)) {
        taken.add(slab.get());
      }
    }
    return taken;
  }

  /** Allocates all but the space of a few runs. */
  List<Slab> fillAlmost(int pe) {
    List<Slab> taken = takeAll(pe);
    tiers[pe].slabs().free(taken.removeFirst());
    return taken;
  }

  Optional<MapOutput> find(int owner, int map) throws IOException {
    return new MapOutputs(windows.heap(0)).find(owner, id(map));
  }

  Set<Tier> tiersOf(int owner, int map) throws IOException {
    Set<Tier> found = new HashSet<>();
    RowOutput output = find(owner, map).orElseThrow().rows();
    for (int r = 0; r < output.index().runs(); r++) {
      found.add(output.index().run(r).tier());
    }
    return found;
  }

  /** Reads the records that a reduce task on a PE reads in place, from all tiers. */
  Records read(int reader, int start, int end, int owner, int map) {
    return read(reader, start, end, List.of(local(owner, map)));
  }

  Records read(int reader, int start, int end, List<LocalSource> sources) {
    Metrics metrics = new Metrics();
    Plan plan = plan(reader, Optional.of(rows[reader]), start, end, sources, true, metrics);
    assertEquals(Set.of(), plan.remote());
    long pulled = stats.pulledBytes();
    DeviceCursor cursor = plan.reads().deviceCursor(3 * BUFFER_BYTES);
    try {
      cursor.start();
      Records got = drain(ChainedCursor.of(List.of(plan.reads().hostCursor(), cursor)));
      metrics.assertEqual(stats, pulled);
      return got;
    } finally {
      cursor.close();
      assertEquals(0, rows[reader].buffersInUse());
    }
  }

  /** Reads in place, and the map tasks whose output is fetched through block transfer. */
  record Plan(DeviceReads reads, Set<Long> remote) {
    DeviceCursor start(long maxBytesInFlight) {
      DeviceCursor cursor = reads.deviceCursor(maxBytesInFlight);
      cursor.start();
      return cursor;
    }
  }

  DeviceCursor cursor(int reader, List<LocalSource> sources) {
    return plan(reader, 0, PARTITIONS, sources).start(3 * BUFFER_BYTES);
  }

  Plan plan(int reader, int start, int end, List<LocalSource> sources) {
    return plan(reader, Optional.of(rows[reader]), start, end, sources, true, new Metrics());
  }

  Plan plan(
      int reader,
      Optional<DeviceRows> deviceRows,
      int start,
      int end,
      List<LocalSource> sources,
      boolean verify,
      Metrics metrics) {
    ReadTask task = task(new MapOutputs(windows.heap(reader)), start, end, verify, metrics, stats);
    DeviceReads reads = new DeviceReads(deviceRows, reader, task);
    Set<Long> remote = new HashSet<>();
    sources.stream()
        .collect(Collectors.groupingBy(LocalSource::pe))
        .values()
        .forEach(
            ofOwner -> {
              if (!reads.tryAdd(ofOwner)) {
                ofOwner.forEach(source -> remote.add(source.map().mapId()));
              }
            });
    return new Plan(reads, remote);
  }

  static BlockId batch(int map) {
    return new ShuffleBlockBatchId(SHUFFLE, map, 0, PARTITIONS);
  }

  InputStream served(int owner, int map) throws IOException {
    ServedBlock block =
        Compressors.server(
                Compressors.of(Codec.LZ4, stats),
                Optional.of(tiers[owner]),
                0,
                UnaryOperator.identity(),
                stats)
            .serve(
                find(owner, map).orElseThrow(),
                0,
                PARTITIONS,
                () -> owners[owner].leases.acquire(SHUFFLE));
    return block.createInputStream();
  }

  ByteBuffer copyOut(int pe, RunView run) {
    return copyOut(pe, run.place(), (int) run.bytes());
  }

  ByteBuffer copyOut(int pe, long place, int bytes) {
    ByteBuffer copy = ByteBuffer.allocateDirect(bytes);
    try (CudaStream stream = tiers[pe].context().newStream()) {
      stream.copyOut(MemorySegment.ofBuffer(copy), tiers[pe].window().slice(place, bytes));
      stream.synchronize();
    }
    return copy;
  }

  void poke(int pe, long place, byte value) {
    try (CudaStream stream = tiers[pe].context().newStream();
        Arena arena = Arena.ofConfined()) {
      MemorySegment one = arena.allocate(1).fill(value);
      stream.copyIn(tiers[pe].window().slice(place, 1), one);
      stream.synchronize();
    }
  }

  static byte[] copy(long address, int bytes) {
    byte[] copy = new byte[bytes];
    Platform.copyMemory(null, address, copy, Platform.BYTE_ARRAY_OFFSET, bytes);
    return copy;
  }

  /** Asserts that both have the same records in each partition, in any order. */
  static void assertSameContent(Records expected, Records got) {
    assertEquals(expected.size(), got.size());
    for (int partition = 0; partition < 3_000; partition++) {
      assertEquals(sorted(expected.of(partition)), sorted(got.of(partition)));
    }
  }

  static List<String> sorted(List<byte[]> records) {
    return records.stream().map(java.util.HexFormat.of()::formatHex).sorted().toList();
  }

  static LocalSource local(int pe, int map) {
    return new LocalSource(source(pe, map), pe);
  }

  static MapOutputId id(long map) {
    return new MapOutputId(SHUFFLE, map);
  }
}
