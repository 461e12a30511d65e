// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.Segments;
import io.symshuffle.kernel.TableSchema;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.Iterator;

/**
 * An engine whose tables have one column of bytes, serialized as RAPIDS does. Like cuDF, it only
 * queues the assembly, and frees its memory in the order of its stream, which is another one in
 * each thread. A shuffle is one of tables if its partitioner is a {@link TablePartitions}.
 * Thread-safe.
 */
public final class FakeEngine implements TableEngine {
  /** CU_STREAM_PER_THREAD: each thread has another stream, as with RAPIDS. */
  private static final long PER_THREAD = 2;

  private static final int MAGIC = 0x4b554430;
  private static final int ROWS_OFFSET = 8;
  private static final int VALIDITY_OFFSET = 29;

  /** Bytes before the rows of a serialized table. */
  public static final int HEADER_BYTES = 32;

  private static final TableSchema SCHEMA =
      new TableSchema(List.of(new TableSchema.Column(TableSchema.Kind.FIXED, 1, 0)));

  private final Supplier<CudaContext> gpu;

  /** What {@link #assemble} returned, unless it is closed. */
  private final List<AssembledTables> assembled = new ArrayList<>();

  /** Memory that was freed, and the end of the work that was queued before on that thread. */
  private final Map<CudaEvent, DeviceBuffer> freed = new LinkedHashMap<>();

  /** Null until the GPU is used. */
  private CudaContext context;

  /** Null until the GPU is used. */
  private CudaStream stream;

  private Runnable beforeAssembly = () -> {};
  private UnaryOperator<byte[]> serialized = UnaryOperator.identity();
  private long streamsPassed;
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

  /**
   * A table: each byte is a row.
   *
   * @param rows their number, of a table without columns
   */
  public record Table(int partition, byte[] data, long rows) {
    /** A table with the rows of these bytes. */
    public Table(int partition, byte[] data) {
      this(partition, data, data.length);
    }
  }

  /** A record of a map task. */
  private static final class FakeBatch extends ColumnarBatch {
    private final Table table;

    FakeBatch(Table table) {
      super(new ColumnVector[0], Math.toIntExact(table.rows()));
      this.table = table;
    }
  }

  /**
   * A batch of the tables that a reduce task got, in copies; its number of rows is that of tables.
   */
  public final class AssembledTables extends ColumnarBatch {
    private final DeviceBuffer copy;
    private final long dataBytes;

    private AssembledTables(DeviceBuffer copy, long dataBytes, int tables) {
      super(new ColumnVector[0], tables);
      this.copy = copy;
      this.dataBytes = dataBytes;
    }

    /** The bytes of the tables. */
    public List<byte[]> data() {
      ByteBuffer all = ByteBuffer.wrap(read(copy)).order(ByteOrder.LITTLE_ENDIAN);
      List<byte[]> data = new ArrayList<>();
      for (int i = 0; i < numRows(); i++) {
        int start = (int) all.getLong((int) dataBytes + i * Long.BYTES);
        int rows = Integer.reverseBytes(all.getInt(start + ROWS_OFFSET));
        data.add(
            Arrays.copyOfRange(all.array(), start + HEADER_BYTES, start + HEADER_BYTES + rows));
      }
      return data;
    }

    @Override
    public void close() {
      super.close();
      synchronized (FakeEngine.this) {
        assembled.remove(this);
        freeInOrder(copy);
      }
    }
  }

  /** Runs an action before each assembly is queued. */
  public void beforeAssembly(Runnable action) {
    beforeAssembly = action;
  }

  /** Changes the bytes of all tables that are serialized from now on. */
  public void serializeWrongly(UnaryOperator<byte[]> change) {
    serialized = change;
  }

  /** Pretends that the engine has switched to another stream. */
  public void switchStream() {
    streamsPassed++;
  }

  /** The stream of the engine's work. */
  public synchronized CudaStream stream() {
    if (stream == null) {
      context = gpu.get();
      stream = context.foreignStream(PER_THREAD);
    }
    return stream;
  }

  /** Creates a batch of tables in GPU memory, in this order. */
  public SplitBatch batchOf(List<Table> tables) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    List<SplitBatch.Table> places = new ArrayList<>();
    long hash = 0;
    int next = 0;
    for (Table each : tables) {
      if (each.partition > next) {
        // As RAPIDS does for partitions without rows.
        all.writeBytes(serialize(new byte[0]));
      }
      next = each.partition + 1;
      byte[] bytes = each.data.length == 0 ? each.data : serialized.apply(serialize(each.data));
      places.add(new SplitBatch.Table(each.partition, each.rows, all.size(), bytes.length));
      all.writeBytes(bytes);
      hash += hash(each);
    }
    if (all.size() == 0) {
      return new SplitBatch(places, new DeviceRange(0, 0), hash, () -> {});
    }
    DeviceBuffer buffer = newBuffer(all.size());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = MemorySegment.ofArray(all.toByteArray());
      stream().copyIn(buffer.range(), Segments.allocateCopy(arena, copy));
      stream().synchronize();
    }
    AtomicBoolean closed = new AtomicBoolean();
    return new SplitBatch(
        places,
        buffer.range(),
        hash,
        () -> {
          if (!closed.getAndSet(true)) {
            free(buffer);
          }
        });
  }

  /** Kudo's format: a header, a bit for validity, and the column, without nulls. */
  private static byte[] serialize(byte[] rows) {
    int padded = (rows.length + 3) & -4;
    return ByteBuffer.allocate(HEADER_BYTES + padded)
        .putInt(MAGIC)
        .putInt(0)
        .putInt(rows.length)
        .putInt(HEADER_BYTES - VALIDITY_OFFSET)
        .putInt(0)
        .putInt(HEADER_BYTES - VALIDITY_OFFSET + padded)
        .putInt(1)
        .position(HEADER_BYTES)
        .put(rows)
        .array();
  }

  private static long hash(Table table) {
    long seed = XXH64.hashInt(table.partition, 42);
    if (table.data.length == 0) {
      return table.rows * seed;
    }
    long sum = 0;
    for (byte row : table.data) {
      sum += XXH64.hashInt(row, seed);
    }
    return sum;
  }

  /** Creates a record with a table, whose memory the shuffle's writer frees. */
  public ColumnarBatch batch(int partition, byte[] data) {
    return new FakeBatch(new Table(partition, data));
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

  /** The data of all tables assembled so far. */
  public List<byte[]> assembledData() {
    return openBatches().flatMap(batch -> batch.data().stream()).toList();
  }

  private synchronized Stream<AssembledTables> openBatches() {
    return List.copyOf(assembled).stream();
  }

  private byte[] read(DeviceBuffer buffer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(buffer.range().bytes());
      stream().copyOut(copy, buffer.range());
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
  public void splitWhole(Iterator<?> records, DataType[] types, boolean hashRows) {}

  @Override
  public Optional<SplitBatch> split(
      int partition, ColumnarBatch batch, DataType[] types, boolean hashRows) {
    return batch.numRows() == 0
        ? Optional.empty()
        : Optional.of(batchOf(List.of(((FakeBatch) batch).table)));
  }

  @Override
  public TableSchema schema(DataType[] types) {
    return SCHEMA;
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
  public ColumnarBatch assemble(EngineBuffer buffer, long dataBytes, int tables, DataType[] types) {
    beforeAssembly.run();
    DeviceBuffer copy = context().allocate(buffer.range().bytes());
    stream().copy(copy.range(), buffer.range());
    AssembledTables batch = new AssembledTables(copy, dataBytes, tables);
    synchronized (this) {
      assembled.add(batch);
    }
    return batch;
  }

  @Override
  public long targetBatchBytes() {
    return 1 << 20;
  }
}
