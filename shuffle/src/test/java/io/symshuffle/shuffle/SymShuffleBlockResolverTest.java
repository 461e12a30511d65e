// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.Runtimes;
import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.Records;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

/** PE 1 answers for its host, where PE 0 has map outputs 1 to 4. */
class SymShuffleBlockResolverTest {
  private static final int SHUFFLE = 4;
  private static final int PARTITIONS = 3;

  @TempDir Path base;
  private final List<ShuffleRuntime> runtimes = new ArrayList<>();
  private final FolderToken token = FolderToken.random();

  @AfterEach
  void end() {
    runtimes.forEach(ShuffleRuntime::close);
    ShuffleRuntime.unavailable("the test has ended");
    HeapFolder.open(base, token, List.of(base)).remove();
  }

  @Test
  void answerForAHostLeavesOutWhatIsOnADiskThatIsNotVisible() throws IOException {
    Path disk = Files.createDirectory(base.resolve("disk-0"));
    ShuffleRuntime owner = join(disk);
    publish(owner, 1, 0, Tier.HOST);
    publish(owner, 2, 0, Tier.DISK);
    publish(owner, 3, 1, Tier.DISK);
    publish(owner, 4, 0, Tier.HOST);
    ShuffleRuntime.install(join(Files.createDirectory(base.resolve("disk-1"))));
    assertEquals(List.of(1L, 2L, 4L), answered(0, 1));
    assertEquals(List.of(1L, 2L, 3L, 4L), answered(0, PARTITIONS));

    Files.move(disk, base.resolve("elsewhere"));

    assertEquals(List.of(1L, 4L), answered(0, 1));
    assertEquals(List.of(1L, 4L), answered(0, PARTITIONS));
  }

  /** Spark would not move the others if it got an exception. */
  @Test
  void whatCannotBeReadDoesNotMoveToAnotherExecutor() throws IOException {
    ShuffleRuntime owner = join(Files.createDirectory(base.resolve("disk-0")));
    publish(owner, 1, 0, Tier.HOST);
    publish(owner, 2, 0, Tier.HOST);
    ShuffleRuntime.install(owner);
    assertEquals(1, moved(1));
    List<Lease> leases = new ArrayList<>();
    for (int other = 0; other < ControlDescriptor.LEASE_SLOTS; other++) {
      leases.add(owner.leases().acquire(SHUFFLE + 1 + other));
    }
    assertEquals(0, moved(1), "no lease is free");
    leases.forEach(Lease::close);
    Path heap = HeapFolder.open(base, token, List.of(base)).heapFile(0);
    try (FileChannel file = FileChannel.open(heap, StandardOpenOption.WRITE)) {
      file.truncate(ControlDescriptor.BYTES);
    }
    assertEquals(0, moved(2), "its index is in a page that is missing");
  }

  /** As how many blocks a map output moves to another executor. */
  private static int moved(long mapId) {
    return new SymShuffleBlockResolver(new SparkConf(false), new ConcurrentHashMap<>())
        .getMigrationBlocks(new ShuffleBlockInfo(SHUFFLE, mapId))
        .size();
  }

  /** The map outputs in the answer to a request for a range of partitions. */
  private static List<Long> answered(int startPartition, int endPartition) throws IOException {
    ManagedBuffer answer =
        new SymShuffleBlockResolver(new SparkConf(false), new ConcurrentHashMap<>())
            .getBlockData(
                new ShuffleBlockBatchId(
                    SHUFFLE,
                    new MapIdRange(1, 4).code(true, AnswerLimit.MAX_BYTES),
                    startPartition,
                    endPartition),
                Option.empty());
    ByteBuffer bytes = answer.nioByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    answer.release();
    List<Long> mapIds = new ArrayList<>();
    for (int i = 0; i < bytes.getInt(AnswerDescriptor.OUTPUTS_OFFSET); i++) {
      mapIds.add(
          1L + bytes.getInt(AnswerDescriptor.bytes(i, 0) + AnswerDescriptor.ENTRY_ID_OFFSET));
    }
    return mapIds;
  }

  private ShuffleRuntime join(Path disk) throws IOException {
    int pe = runtimes.size();
    HeapFolder folder = HeapFolder.open(base, token, List.of(disk));
    runtimes.add(Runtimes.start(folder, pe, 8 << 20));
    return runtimes.getLast();
  }

  private static void publish(ShuffleRuntime owner, long mapId, int partition, Tier tier)
      throws IOException {
    RowOutputBuilder output = owner.store().buildRows(new MapOutputId(SHUFFLE, mapId), PARTITIONS);
    Records one = new Records();
    one.add(partition, new byte[100]);
    one.writeRun(output, tier);
    output.commit();
  }
}
