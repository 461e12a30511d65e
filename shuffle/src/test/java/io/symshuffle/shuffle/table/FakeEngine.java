// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** An engine whose tables are plain bytes and whose batches only contain their number of tables. */
public final class FakeEngine implements TableEngine {
  private final CudaContext context;
  private final CudaStream stream;

  /** The bytes that were passed to {@link #unpack}. */
  private final List<byte[]> unpacked = new ArrayList<>();

  private final List<byte[]> metadata = new ArrayList<>();
  private int open;

  /** Creates an engine on a GPU. */
  public FakeEngine(CudaContext context) {
    this.context = context;
    this.stream = context.newStream();
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
      stream.copyIn(buffer.range(), arena.allocateFrom(ValueLayout.JAVA_BYTE, data));
      stream.synchronize();
    }
    return new PackedTable(
        rows,
        buffer.range(),
        copy,
        () -> {
          open--;
          buffer.close();
        });
  }

  /** Number of buffers and tables that are not closed yet. */
  public int open() {
    return open;
  }

  /** The data of all tables unpacked so far. */
  public List<byte[]> unpackedData() {
    return List.copyOf(unpacked);
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
  public CudaContext context() {
    return context;
  }

  @Override
  public long streamHandle() {
    return stream.address();
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
        open--;
        buffer.close();
      }
    };
  }

  @Override
  public ColumnarBatch unpack(
      List<TablePart> parts, Optional<EngineBuffer> buffer, DataType[] types) {
    for (TablePart part : parts) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment copy = arena.allocate(Math.max(1, part.data().bytes()));
        stream.copyOut(copy.asSlice(0, part.data().bytes()), part.data());
        stream.synchronize();
        unpacked.add(copy.asSlice(0, part.data().bytes()).toArray(ValueLayout.JAVA_BYTE));
        metadata.add(part.metadata().toArray(ValueLayout.JAVA_BYTE));
      }
    }
    return new ColumnarBatch(new ColumnVector[0], parts.size());
  }

  @Override
  public long targetBatchBytes() {
    return 1 << 20;
  }
}
