// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.HashedTable;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.table.EngineBuffer;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import io.symshuffle.shuffle.table.TableConcat;
import io.symshuffle.shuffle.table.TableEngine;
import io.symshuffle.shuffle.table.TablePart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The RAPIDS Accelerator as the engine of table shuffles. */
final class RapidsEngine implements TableEngine {
  private static final Logger LOG = LoggerFactory.getLogger(RapidsEngine.class);

  /** RAPIDS' setting for the size of its batches, and its default. */
  private static final String BATCH_BYTES = "spark.rapids.sql.batchSizeBytes";

  private static final String DEFAULT_BATCH_BYTES = "1g";

  /** Keeps columns of strings below 2 GiB, since cuDF addresses characters with ints. */
  private static final long MAX_BATCH_BYTES = Integer.MAX_VALUE;

  /**
   * Fewest columns of tables that SymShuffle's kernel concatenates. cuDF launches several kernels
   * for each column: an exchange of tables of 58 rows and 250 columns took 4.5 s with cuDF, 1.0 s
   * with the kernel. With the 2 to 10 columns of TPC-H's exchanges cuDF is as fast or faster.
   */
  private static final int MIN_CONCAT_COLUMNS = 32;

  /** Mean bytes of a column of these tables, from which on copying takes longer than launching. */
  private static final long MAX_CONCAT_BYTES = 256 << 10;

  private final RapidsApi rapids;
  private final CudfApi cudf;
  private final Optional<PackedViews> views;
  private volatile CudaContext context;
  private volatile boolean hashesWithKernel;
  private volatile boolean concatenatesWithKernel;
  private volatile boolean checksMetadata;

  /**
   * @param views the faster concatenation of packed tables; if empty, cuDF's public API is used
   */
  RapidsEngine(RapidsApi rapids, Optional<PackedViews> views) {
    this.rapids = rapids;
    this.views = views;
    this.cudf = rapids.cudf();
  }

  @Override
  public boolean isTableShuffle(ShuffleDependency<?, ?, ?> dependency) {
    return rapids.isGpuShuffle(dependency);
  }

  @Override
  public DataType[] types(ShuffleDependency<?, ?, ?> dependency) {
    return rapids.types(dependency);
  }

  @Override
  public void addDataSize(ShuffleDependency<?, ?, ?> dependency, long bytes) {
    rapids.addDataSize(dependency, bytes);
  }

  @Override
  public Optional<PackedTable> packed(ColumnarBatch batch) {
    if (batch.numRows() == 0) {
      return Optional.empty();
    }
    if (batch.numCols() == 0) {
      return Optional.of(
          new PackedTable(
              batch.numRows(),
              new DeviceRange(0, 0),
              MemorySegment.ofArray(new byte[0]),
              () -> {}));
    }
    ColumnVector column = batch.column(0);
    if (!rapids.isPacked(column)) {
      throw new IllegalStateException(
          "RAPIDS passed a batch of %s to a shuffle of packed tables. Remove spark.rapids.shuffle.compression.codec, or set spark.symshuffle.rapids.mode=host"
              .formatted(column.getClass().getSimpleName()));
    }
    return Optional.of(packed(rapids.contiguousTable(column)));
  }

  /** Retains the memory of a {@code ContiguousTable}. */
  PackedTable packed(Object contiguous) {
    ByteBuffer metadata = cudf.packedMetadata(contiguous).duplicate();
    byte[] copy = new byte[metadata.remaining()];
    metadata.get(copy);
    Object buffer = cudf.packedBuffer(contiguous);
    long rows = cudf.packedRows(contiguous);
    if (buffer == null) {
      return new PackedTable(rows, new DeviceRange(0, 0), MemorySegment.ofArray(copy), () -> {});
    }
    DeviceRange data = cudf.range(buffer);
    cudf.retain(buffer);
    return new PackedTable(
        rows, data, MemorySegment.ofArray(copy), () -> close((AutoCloseable) buffer));
  }

  @Override
  public Optional<String> reasonNotToHash(DataType[] types) {
    return rapids.rowHashes().isPresent()
        ? HashableTypes.reasonAgainst(types)
        : Optional.of(RapidsStart.NO_ROW_HASHES);
  }

  @Override
  public Optional<String> reasonNotToHashByDefault(DataType[] types) {
    return HashableTypes.reasonAgainstByDefault(types);
  }

  @Override
  public void returnToHost() {
    try {
      if (rapids.returnToHost(SparkEnv.get().conf())) {
        LOG.info("RAPIDS copies its tables to the host from now on");
        return;
      }
      LOG.error(
          "RAPIDS still keeps partitions on the GPU: restart with {}=host", RapidsStart.MODE_KEY);
    } catch (RuntimeException | LinkageError e) {
      LOG.error(
          "RAPIDS' shuffle environment cannot be set: restart with {}=host",
          RapidsStart.MODE_KEY,
          e);
    }
  }

  /** Lets SymShuffle's kernel hash rows, after it has passed the self-test. */
  void hashWithKernel() {
    hashesWithKernel = true;
  }

  /** Lets SymShuffle's kernel concatenate tables, after it has passed the self-test. */
  void concatenateWithKernel() {
    concatenatesWithKernel = true;
  }

  /** Lets metadata be checked from now on, if that of a table of this cuDF passes. */
  void checkMetadata(Optional<String> problem) {
    checksMetadata = problem.isEmpty();
    problem.ifPresent(
        found ->
            LOG.warn(
                "Metadata of packed tables is not checked before cuDF uses it, since this cuDF has"
                    + " another format: {}",
                found));
  }

  @Override
  public Optional<String> problem(TablePart part, long rows, int columns) {
    return checksMetadata
        ? PackedMetadata.problem(part.metadata(), rows, columns, part.data())
        : Optional.empty();
  }

  @Override
  public Optional<TableConcat> concatenation(List<TablePart> parts, Arena arena) {
    if (!concatenatesWithKernel || !checksMetadata) {
      return Optional.empty();
    }
    long columns =
        parts.getFirst().metadata().get(PackedMetadata.INT, PackedMetadata.COLUMNS_OFFSET);
    long bytes = parts.stream().mapToLong(part -> part.data().bytes()).sum();
    return columns < MIN_CONCAT_COLUMNS || bytes > MAX_CONCAT_BYTES * parts.size() * columns
        ? Optional.empty()
        : PackedConcat.of(parts, arena);
  }

  @Override
  public Optional<List<HashedTable>> hashedTables(List<SeededTable> tables) {
    return hashesWithKernel ? PackedColumns.of(tables) : Optional.empty();
  }

  @Override
  public long sumOfRowHashes(List<SeededTable> tables) {
    RowHashes hashes =
        rapids.rowHashes().orElseThrow(() -> new IllegalStateException(RapidsStart.NO_ROW_HASHES));
    return rapids.withRetry(() -> hashes.sum(tables));
  }

  @Override
  public CudaContext context() {
    CudaContext known = context;
    if (known == null) {
      synchronized (this) {
        if (context == null) {
          // RAPIDS has chosen the GPU of this process; use the primary context of the same GPU.
          context =
              ShuffleRuntime.current()
                  .flatMap(ShuffleRuntime::device)
                  .map(DeviceTier::context)
                  .orElseGet(() -> CudaDriver.system().device(cudf.device()).openPrimaryContext());
        }
        known = context;
      }
    }
    known.use();
    return known;
  }

  @Override
  public long streamHandle() {
    return cudf.streamHandle();
  }

  @Override
  public void acquireGpu(TaskContext task) {
    rapids.acquireSemaphore(task);
  }

  @Override
  public <T> T withRetry(Supplier<T> attempt) {
    return rapids.withRetry(attempt);
  }

  @Override
  public EngineBuffer allocate(long bytes) {
    AutoCloseable buffer = cudf.allocate(bytes);
    return new CudfBuffer(buffer, cudf.range(buffer));
  }

  @Override
  public ColumnarBatch unpack(
      List<TablePart> parts, Optional<EngineBuffer> buffer, DataType[] types) {
    AutoCloseable whole = table(parts, buffer);
    try {
      return rapids.toBatch(whole, types);
    } finally {
      close(whole);
    }
  }

  AutoCloseable table(List<TablePart> parts, Optional<EngineBuffer> buffer) {
    if (parts.size() > 1 && views.isPresent()) {
      return views.get().concatenate(parts);
    }
    List<AutoCloseable> tables = new ArrayList<>(parts.size());
    try {
      for (TablePart part : parts) {
        tables.add(table(part, buffer));
      }
      return tables.size() == 1
          ? tables.removeFirst()
          : cudf.concatenate(tables.toArray(new AutoCloseable[0]));
    } finally {
      tables.forEach(RapidsEngine::close);
    }
  }

  @Override
  public long targetBatchBytes() {
    String text = SQLConf.get().getConfString(BATCH_BYTES, DEFAULT_BATCH_BYTES);
    return Math.min(MAX_BATCH_BYTES, Math.max(1, JavaUtils.byteStringAsBytes(text)));
  }

  private AutoCloseable table(TablePart part, Optional<EngineBuffer> buffer) {
    AutoCloseable data = data(part.data(), buffer);
    try {
      return cudf.unpack(part.metadata().asByteBuffer(), data);
    } finally {
      close(data);
    }
  }

  private AutoCloseable data(DeviceRange data, Optional<EngineBuffer> buffer) {
    if (buffer.isPresent() && buffer.get() instanceof CudfBuffer ours) {
      long offset = data.bytes() == 0 ? 0 : data.address() - ours.range.address();
      if (offset >= 0 && offset <= ours.range.bytes() - data.bytes()) {
        return cudf.slice(ours.buffer, offset, data.bytes());
      }
    }
    return cudf.wrap(data);
  }

  private record CudfBuffer(AutoCloseable buffer, DeviceRange range) implements EngineBuffer {
    @Override
    public void close() {
      RapidsEngine.close(buffer);
    }
  }

  /** Closes a cuDF object. cuDF's {@code close} methods declare no checked exceptions. */
  static void close(AutoCloseable object) {
    try {
      object.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      LOG.warn("Cannot close {}", object, e);
    }
  }
}
