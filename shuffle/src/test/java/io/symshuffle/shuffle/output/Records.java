// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * Records of a map output, by partition in the order in which they were written, with a simple
 * writer and reader of map outputs.
 */
public final class Records {
  private final TreeMap<Integer, List<byte[]>> byPartition = new TreeMap<>();

  /** Random records of random partitions, of up to {@code maxBytes} each. */
  public static Records random(Random random, int count, int partitions, int maxBytes) {
    Records records = new Records();
    for (int i = 0; i < count; i++) {
      byte[] bytes = new byte[random.nextInt(maxBytes + 1)];
      random.nextBytes(bytes);
      records.add(random.nextInt(partitions), bytes);
    }
    return records;
  }

  /** Adds a record after those of its partition. */
  public void add(int partition, byte[] bytes) {
    byPartition.computeIfAbsent(partition, p -> new ArrayList<>()).add(bytes);
  }

  /** Adds the records of another run, each after those of its partition. */
  public void addAll(Records run) {
    run.byPartition.forEach((p, records) -> records.forEach(bytes -> add(p, bytes)));
  }

  /** The records of a partition. */
  public List<byte[]> of(int partition) {
    return byPartition.getOrDefault(partition, List.of());
  }

  /** The records of partitions {@code start} to {@code end - 1}. */
  public Records range(int start, int end) {
    Records range = new Records();
    range.byPartition.putAll(byPartition.subMap(start, end));
    return range;
  }

  /** Number of records. */
  public int size() {
    return byPartition.values().stream().mapToInt(List::size).sum();
  }

  /** Size of a partition's records in a run, including headers of groups and padding. */
  public long bytes(int partition) {
    return groups(of(partition)).stream().mapToLong(Records::groupBytes).sum();
  }

  /** Size of all partitions' records in a run, including headers of groups and padding. */
  public long bytes() {
    return byPartition.keySet().stream().mapToLong(this::bytes).sum();
  }

  private static long groupBytes(List<byte[]> group) {
    return 8 + group.size() * ((group.getFirst().length + 7) / 8 * 8L);
  }

  /** Divides records into groups: those of one length that follow each other, up to 16 KiB. */
  private static List<List<byte[]>> groups(List<byte[]> records) {
    List<List<byte[]>> groups = new ArrayList<>();
    for (byte[] record : records) {
      List<byte[]> last = groups.isEmpty() ? List.of() : groups.getLast();
      boolean joins =
          !last.isEmpty()
              && last.getFirst().length == record.length
              && (last.size() + 1) * Math.max(8, (record.length + 7) / 8 * 8) <= 16 << 10;
      if (joins) {
        last.add(record);
      } else {
        groups.add(new ArrayList<>(List.of(record)));
      }
    }
    return groups;
  }

  /** Number of partitions with records. */
  public int partitions() {
    return byPartition.size();
  }

  /** Fails unless both have the same records in the same order in each partition. */
  public void assertSameAs(Records other) {
    assertEquals(byPartition.keySet(), other.byPartition.keySet());
    byPartition.forEach(
        (partition, records) -> {
          List<byte[]> others = other.of(partition);
          assertEquals(records.size(), others.size(), () -> "records of partition " + partition);
          for (int i = 0; i < records.size(); i++) {
            assertArrayEquals(records.get(i), others.get(i));
          }
        });
  }

  /** Writes these records as one run of a map output. */
  public void writeRun(RowOutputBuilder output, Tier tier) throws IOException {
    int blocks = byPartition.size();
    int[] partitions = new int[blocks];
    int[] starts = new int[blocks + 1];
    int[] checksums = new int[blocks];
    ByteArrayOutputStream run = new ByteArrayOutputStream();
    int block = 0;
    for (int partition : byPartition.keySet()) {
      byte[] bytes = block(partition);
      partitions[block] = partition;
      checksums[block] = crc(ByteBuffer.wrap(bytes));
      run.writeBytes(bytes);
      starts[++block] = run.size() / 8;
    }
    BlockTable table = new BlockTable(blocks, partitions, starts, checksums);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(run.size(), 8);
      memory.copyFrom(MemorySegment.ofArray(run.toByteArray()));
      if (tier == Tier.HOST) {
        assertTrue(output.addHostRun(memory, table), "the heap is full");
      } else {
        output.addDiskRun(memory, table);
      }
    }
  }

  private byte[] block(int partition) {
    ByteBuffer block = ByteBuffer.allocate((int) bytes(partition)).order(ByteOrder.LITTLE_ENDIAN);
    for (List<byte[]> group : groups(of(partition))) {
      block.putInt(group.getFirst().length).putInt(group.size());
      for (byte[] record : group) {
        block.put(record);
        block.position((block.position() + 7) / 8 * 8);
      }
    }
    return block.array();
  }

  /** Reads all runs of a map output, and checks their layout. */
  public static Records read(MapOutput found, boolean checksummed) throws IOException {
    RowOutput output = found.rows();
    Records records = new Records();
    for (int r = 0; r < output.index().runs(); r++) {
      RunView run = output.index().run(r);
      ByteBuffer bytes = bytes(output, run);
      bytes.order(ByteOrder.LITTLE_ENDIAN);
      assertEquals(0, run.start(0));
      assertEquals(run.bytes(), run.start(run.blocks()));
      for (int b = 0; b < run.blocks(); b++) {
        int partition = run.partition(b);
        assertTrue(b == 0 || run.partition(b - 1) < partition, "partitions are not ascending");
        ByteBuffer block =
            bytes.slice((int) run.start(b), (int) run.size(b)).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(checksummed ? crc(block.duplicate()) : 0, run.checksum(b));
        records.parse(partition, block);
      }
    }
    return records;
  }

  /** Adds the records of a block. */
  public void parse(int partition, ByteBuffer block) {
    assertTrue(block.hasRemaining(), "a block without records");
    while (block.hasRemaining()) {
      int length = block.getInt();
      int count = block.getInt();
      assertTrue(count > 0, "a group without records");
      for (int i = 0; i < count; i++) {
        byte[] record = new byte[length];
        block.get(record);
        block.position((block.position() + 7) / 8 * 8);
        add(partition, record);
      }
    }
  }

  private static ByteBuffer bytes(RowOutput output, RunView run) throws IOException {
    if (run.tier() == Tier.HOST) {
      return output.hostRun(run).asByteBuffer();
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) run.bytes());
    try (RunReader reader = RunReader.open(output);
        BlockDecompressor decompressor = new BlockDecompressor()) {
      for (int block = 0; block < run.blocks(); block++) {
        bytes.put(reader.readBlock(run, block, decompressor));
      }
    }
    return bytes.flip();
  }

  private static int crc(ByteBuffer bytes) {
    // Java 21 cannot compute the checksum of a buffer of a shared arena.
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    CRC32C crc = new CRC32C();
    crc.update(copy);
    return (int) crc.getValue();
  }
}
