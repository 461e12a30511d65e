// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.Segments;
import io.symshuffle.kernel.HashedColumn;
import io.symshuffle.kernel.HashedTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * An engine whose tables are plain bytes and whose batches only contain their number of tables.
 * Like cuDF, it only queues the concatenation, and frees its memory in the order of its stream.
 */
public final class FakeEngine implements TableEngine {
  private final CudaContext context;
  private final CudaStream stream;

  /** Copies of the data that was passed to {@link #unpack}; empty for tables without bytes. */
  private final List<Optional<DeviceBuffer>> unpacked = new ArrayList<>();

  private final List<byte[]> metadata = new ArrayList<>();
  private final List<DeviceBuffer> freed = new ArrayList<>();
  private Runnable beforeUnpack = () -> {};
  private long streamHandle;
  private boolean hashesWithKernel = true;
  private int hashedByEngine;
  private int open;

  /** Creates an engine on a GPU. */
  public FakeEngine(CudaContext context) {
    this.context = context;
    this.stream = context.newStream();
    this.streamHandle = stream.address();
  }

  /** Runs an action before each concatenation is queued. */
  public void beforeUnpack(Runnable action) {
    beforeUnpack = action;
  }

  /** Pretends that the engine has switched to another stream. */
  public void switchStream() {
    streamHandle++;
  }

  /** Hashes rows without the kernel from now on. */
  public void refuseKernelForHashes() {
    hashesWithKernel = false;
  }

  /** Number of calls of {@link #sumOfRowHashes}. */
  public int hashedByEngine() {
    return hashedByEngine;
  }

  /** The stream of the engine's work. */
  public CudaStream stream() {
    return stream;
  }

  /** Creates a table of these bytes in GPU memory. */
  public PackedTable table(byte[] data, byte[] description, long rows) {
    MemorySegment copy = MemorySegment.ofArray(description);
    if (data.length == 0) {
      return new PackedTable(rows, new DeviceRange(0, 0), copy, () -> {});
    }
    DeviceBuffer buffer = context.allocate(data.length);
    open++;
    try (Arena arena = Arena.ofConfined()) {
      stream.copyIn(buffer.range(), Segments.allocateCopy(arena, MemorySegment.ofArray(data)));
      stream.synchronize();
    }
    return new PackedTable(rows, buffer.range(), copy, () -> free(buffer));
  }

  /** Frees memory once the work is done that is queued now. */
  private void free(DeviceBuffer buffer) {
    open--;
    freed.add(buffer);
    if (stream.isDone()) {
      freed.forEach(DeviceBuffer::close);
      freed.clear();
    }
  }

  /** Number of buffers and tables that are not closed yet. */
  public int open() {
    return open;
  }

  /** The data of all tables unpacked so far. */
  public List<byte[]> unpackedData() {
    return unpacked.stream().map(this::read).toList();
  }

  private byte[] read(Optional<DeviceBuffer> buffer) {
    if (buffer.isEmpty()) {
      return new byte[0];
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(buffer.get().range().bytes());
      stream.copyOut(copy, buffer.get().range());
      stream.synchronize();
      return copy.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /** The metadata of all tables unpacked so far. */
  public List<byte[]> unpackedMetadata() {
    return List.copyOf(metadata);
  }

  @Override
  public boolean isTableShuffle(ShuffleDependency<?, ?, ?> dependency) {
    return true;
  }

  @Override
  public DataType[] types(ShuffleDependency<?, ?, ?> dependency) {
    return new DataType[0];
  }

  @Override
  public void addDataSize(ShuffleDependency<?, ?, ?> dependency, long bytes) {}

  @Override
  public Optional<PackedTable> packed(ColumnarBatch batch) {
    return Optional.empty();
  }

  @Override
  public Optional<String> reasonNotToHash(DataType[] types) {
    return Optional.empty();
  }

  @Override
  public Optional<String> reasonNotToHashByDefault(DataType[] types) {
    return Optional.empty();
  }

  /** Each byte is a row. */
  @Override
  public void returnToHost() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<List<HashedTable>> hashedTables(List<SeededTable> tables) {
    return hashesWithKernel
        ? Optional.of(tables.stream().map(FakeEngine::hashed).toList())
        : Optional.empty();
  }

  private static HashedTable hashed(SeededTable seeded) {
    DeviceRange data = seeded.table().data();
    return new HashedTable(
        seeded.seed(),
        (int) data.bytes(),
        List.of(
            new HashedColumn(HashedColumn.Kind.INT8, data, HashedColumn.NONE, HashedColumn.NONE)));
  }

  /** Each byte is a row. */
  @Override
  public long sumOfRowHashes(List<SeededTable> tables) {
    hashedByEngine++;
    long sum = 0;
    for (SeededTable seeded : tables) {
      DeviceRange data = seeded.table().data();
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment copy = arena.allocate(Math.max(1, data.bytes()));
        stream.copyOut(copy.asSlice(0, data.bytes()), data);
        stream.synchronize();
        for (long i = 0; i < data.bytes(); i++) {
          sum += XXH64.hashInt(copy.get(ValueLayout.JAVA_BYTE, i), seeded.seed());
        }
      }
    }
    return sum;
  }

  @Override
  public CudaContext context() {
    return context;
  }

  @Override
  public long streamHandle() {
    return streamHandle;
  }

  @Override
  public void acquireGpu(TaskContext task) {}

  @Override
  public <T> T withRetry(Supplier<T> attempt) {
    return attempt.get();
  }

  @Override
  public EngineBuffer allocate(long bytes) {
    DeviceBuffer buffer = context.allocate(bytes);
    open++;
    return new EngineBuffer() {
      @Override
      public DeviceRange range() {
        return buffer.range();
      }

      @Override
      public void close() {
        free(buffer);
      }
    };
  }

  @Override
  public ColumnarBatch unpack(
      List<TablePart> parts, Optional<EngineBuffer> buffer, DataType[] types) {
    beforeUnpack.run();
    for (TablePart part : parts) {
      metadata.add(part.metadata().toArray(ValueLayout.JAVA_BYTE));
      if (part.data().bytes() == 0) {
        unpacked.add(Optional.empty());
        continue;
      }
      DeviceBuffer copy = context.allocate(part.data().bytes());
      stream.copy(copy.range(), part.data());
      unpacked.add(Optional.of(copy));
    }
    return new ColumnarBatch(new ColumnVector[0], parts.size());
  }

  @Override
  public long targetBatchBytes() {
    return 1 << 20;
  }
}
