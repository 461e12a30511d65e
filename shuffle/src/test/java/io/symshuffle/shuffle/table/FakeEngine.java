// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.Segments;
import io.symshuffle.kernel.ConcatColumn;
import io.symshuffle.kernel.HashedTable;
import io.symshuffle.kernel.TableColumn;
import io.symshuffle.kernel.TableColumns;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * An engine whose tables are plain bytes, and each byte is a row for hashes. Like cuDF, it only
 * queues the concatenation, and frees its memory in the order of its stream, which is another one
 * in each thread. A shuffle is one of tables if its partitioner is a {@link TablePartitions}.
 * Thread-safe.
 */
public final class FakeEngine implements TableEngine {
  /** CU_STREAM_PER_THREAD: each thread has another stream, as with RAPIDS. */
  private static final long PER_THREAD = 2;

  private final Supplier<CudaContext> gpu;

  /** What {@link #unpack} returned, unless it is closed. */
  private final List<UnpackedTables> unpacked = new ArrayList<>();

  /** Memory that was freed, and the end of the work that was queued before on that thread. */
  private final Map<CudaEvent, DeviceBuffer> freed = new LinkedHashMap<>();

  /** Null until the GPU is used. */
  private CudaContext context;

  /** Null until the GPU is used. */
  private CudaStream stream;

  private Runnable beforeUnpack = () -> {};
  private Predicate<TablePart> refused = part -> false;
  private long streamsPassed;
  private boolean hashesWithKernel = true;
  private boolean concatenatesWithKernel;
  private int hashedByEngine;
  private int open;

  /** Creates an engine on a GPU. */
  public FakeEngine(CudaContext context) {
    this(() -> context);
    stream();
  }

  /** Creates an engine that asks for its GPU when it needs one, which the driver never does. */
  public FakeEngine(Supplier<CudaContext> gpu) {
    this.gpu = gpu;
  }

  /** A batch of one packed table, for a map task. */
  private static final class PackedBatch extends ColumnarBatch {
    private final PackedTable table;

    PackedBatch(PackedTable table) {
      super(new ColumnVector[0], Math.toIntExact(table.rows()));
      this.table = table;
    }
  }

  /**
   * A batch of the tables that a reduce task got, in copies; its number of rows is that of tables.
   */
  public final class UnpackedTables extends ColumnarBatch {
    private final List<byte[]> metadata;
    private final List<Optional<DeviceBuffer>> data;

    private UnpackedTables(List<byte[]> metadata, List<Optional<DeviceBuffer>> data) {
      super(new ColumnVector[0], metadata.size());
      this.metadata = metadata;
      this.data = data;
    }

    /** The descriptions of the tables. */
    public List<byte[]> metadata() {
      return metadata;
    }

    /** The bytes of the tables. */
    public List<byte[]> data() {
      return data.stream().map(FakeEngine.this::read).toList();
    }

    @Override
    public void close() {
      super.close();
      synchronized (FakeEngine.this) {
        unpacked.remove(this);
        data.stream().flatMap(Optional::stream).forEach(FakeEngine.this::freeInOrder);
      }
    }
  }

  /** Runs an action before each concatenation is queued. */
  public void beforeUnpack(Runnable action) {
    beforeUnpack = action;
  }

  /** Finds a problem in the metadata of these tables from now on. */
  public void refuse(Predicate<TablePart> tables) {
    refused = tables;
  }

  /** Pretends that the engine has switched to another stream. */
  public void switchStream() {
    streamsPassed++;
  }

  /** Hashes rows without the kernel from now on. */
  public void refuseKernelForHashes() {
    hashesWithKernel = false;
  }

  /** Concatenates tables with the kernel from now on; they must not be empty. */
  public void concatenateWithKernel() {
    concatenatesWithKernel = true;
  }

  /** Number of calls of {@link #sumOfRowHashes}. */
  public int hashedByEngine() {
    return hashedByEngine;
  }

  /** The stream of the engine's work. */
  public synchronized CudaStream stream() {
    if (stream == null) {
      context = gpu.get();
      stream = context.foreignStream(PER_THREAD);
    }
    return stream;
  }

  /** Creates a table of these bytes in GPU memory. */
  public PackedTable table(byte[] data, byte[] description, long rows) {
    MemorySegment copy = MemorySegment.ofArray(description);
    if (data.length == 0) {
      return new PackedTable(rows, new DeviceRange(0, 0), copy, () -> {});
    }
    DeviceBuffer buffer = newBuffer(data.length);
    try (Arena arena = Arena.ofConfined()) {
      stream().copyIn(buffer.range(), Segments.allocateCopy(arena, MemorySegment.ofArray(data)));
      stream().synchronize();
    }
    return new PackedTable(rows, buffer.range(), copy, () -> free(buffer));
  }

  /** Creates a batch of {@link #table}, whose memory the shuffle's writer frees. */
  public ColumnarBatch batch(byte[] data, byte[] description, long rows) {
    return new PackedBatch(table(data, description, rows));
  }

  private synchronized DeviceBuffer newBuffer(long bytes) {
    DeviceBuffer buffer = context().allocate(bytes);
    open++;
    return buffer;
  }

  private synchronized void free(DeviceBuffer buffer) {
    open--;
    freeInOrder(buffer);
  }

  /** Frees memory once the work is done that is queued now. */
  private synchronized void freeInOrder(DeviceBuffer buffer) {
    CudaEvent end = context().newUntimedEvent();
    stream().record(end);
    freed.put(end, buffer);
    for (CudaEvent each : List.copyOf(freed.keySet())) {
      if (each.isDone()) {
        freed.remove(each).close();
        each.close();
      }
    }
  }

  /** Number of buffers and tables that are not closed yet. */
  public synchronized int open() {
    return open;
  }

  /** The data of all tables unpacked so far. */
  public List<byte[]> unpackedData() {
    return openBatches().flatMap(batch -> batch.data().stream()).toList();
  }

  /** The metadata of all tables unpacked so far. */
  public List<byte[]> unpackedMetadata() {
    return openBatches().flatMap(batch -> batch.metadata().stream()).toList();
  }

  private synchronized Stream<UnpackedTables> openBatches() {
    return List.copyOf(unpacked).stream();
  }

  private byte[] read(Optional<DeviceBuffer> buffer) {
    if (buffer.isEmpty()) {
      return new byte[0];
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(buffer.get().range().bytes());
      stream().copyOut(copy, buffer.get().range());
      stream().synchronize();
      return copy.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  @Override
  public boolean isTableShuffle(ShuffleDependency<?, ?, ?> dependency) {
    return dependency.partitioner() instanceof TablePartitions;
  }

  @Override
  public DataType[] types(ShuffleDependency<?, ?, ?> dependency) {
    return new DataType[] {DataTypes.LongType};
  }

  @Override
  public void addDataSize(ShuffleDependency<?, ?, ?> dependency, long bytes) {}

  @Override
  public Optional<PackedTable> packed(ColumnarBatch batch) {
    return batch.numRows() == 0 ? Optional.empty() : Optional.of(((PackedBatch) batch).table);
  }

  @Override
  public Optional<String> problem(TablePart part, long rows, int columns) {
    return refused.test(part) ? Optional.of("refused by the test") : Optional.empty();
  }

  @Override
  public Optional<String> reasonNotToHash(DataType[] types) {
    return Optional.empty();
  }

  @Override
  public Optional<String> reasonNotToHashByDefault(DataType[] types) {
    return Optional.empty();
  }

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
    return new HashedTable(seeded.seed(), bytesOf(data));
  }

  /** The only column of a table. */
  private static TableColumns bytesOf(DeviceRange data) {
    return new TableColumns(
        (int) data.bytes(),
        List.of(new TableColumn(TableColumn.Kind.INT8, data, TableColumn.NONE, TableColumn.NONE)));
  }

  @Override
  public Optional<TableConcat> concatenation(List<TablePart> parts, Arena arena) {
    if (!concatenatesWithKernel) {
      return Optional.empty();
    }
    long bytes = parts.stream().mapToLong(part -> part.data().bytes()).sum();
    return Optional.of(
        new TableConcat(
            parts.stream().map(part -> bytesOf(part.data())).toList(),
            List.of(
                new ConcatColumn(
                    TableColumn.Kind.INT8, 0, bytes, ConcatColumn.NONE, ConcatColumn.NONE)),
            bytes,
            parts.getFirst().metadata()));
  }

  @Override
  public long sumOfRowHashes(List<SeededTable> tables) {
    hashedByEngine++;
    long sum = 0;
    for (SeededTable seeded : tables) {
      DeviceRange data = seeded.table().data();
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment copy = arena.allocate(Math.max(1, data.bytes()));
        stream().copyOut(copy.asSlice(0, data.bytes()), data);
        stream().synchronize();
        for (long i = 0; i < data.bytes(); i++) {
          sum += XXH64.hashInt(copy.get(ValueLayout.JAVA_BYTE, i), seeded.seed());
        }
      }
    }
    return sum;
  }

  @Override
  public synchronized CudaContext context() {
    stream();
    context.use();
    return context;
  }

  @Override
  public long streamHandle() {
    return stream().address() + streamsPassed;
  }

  @Override
  public void acquireGpu(TaskContext task) {}

  @Override
  public <T> T withRetry(Supplier<T> attempt) {
    return attempt.get();
  }

  @Override
  public EngineBuffer allocate(long bytes) {
    DeviceBuffer buffer = newBuffer(bytes);
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
    List<byte[]> metadata = new ArrayList<>();
    List<Optional<DeviceBuffer>> data = new ArrayList<>();
    for (TablePart part : parts) {
      metadata.add(part.metadata().toArray(ValueLayout.JAVA_BYTE));
      if (part.data().bytes() == 0) {
        data.add(Optional.empty());
        continue;
      }
      DeviceBuffer copy = context().allocate(part.data().bytes());
      stream().copy(copy.range(), part.data());
      data.add(Optional.of(copy));
    }
    UnpackedTables batch = new UnpackedTables(metadata, data);
    synchronized (this) {
      unpacked.add(batch);
    }
    return batch;
  }

  @Override
  public long targetBatchBytes() {
    return 1 << 20;
  }
}
