// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.TableSchema;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.table.EngineBuffer;
import io.symshuffle.shuffle.table.SplitBatch;
import io.symshuffle.shuffle.table.TableEngine;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.Iterator;

/** The RAPIDS Accelerator as the engine of table shuffles. */
final class RapidsEngine implements TableEngine {
  private static final Logger LOG = LoggerFactory.getLogger(RapidsEngine.class);

  /** RAPIDS' setting for the size of its batches, and its default. */
  private static final String BATCH_BYTES = "spark.rapids.sql.batchSizeBytes";

  private static final String DEFAULT_BATCH_BYTES = "1g";

  /** Keeps columns of strings below 2 GiB, since cuDF addresses characters with ints. */
  private static final long MAX_BATCH_BYTES = Integer.MAX_VALUE;

  private final RapidsApi rapids;
  private final CudfApi cudf;
  private final Set<String> reasonsLogged = ConcurrentHashMap.newKeySet();
  private volatile CudaContext context;

  RapidsEngine(RapidsApi rapids) {
    this.rapids = rapids;
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
  public void splitWhole(Iterator<?> records, DataType[] types, boolean hashRows) {
    rapids
        .splitter()
        .flatMap(splitter -> splitter.install(records, types, hashRows))
        .filter(reasonsLogged::add)
        .ifPresent(reason -> LOG.warn("{}: {}", BatchSplitter.OTHERWISE, reason));
  }

  @Override
  public Optional<SplitBatch> split(
      int partition, ColumnarBatch batch, DataType[] types, boolean hashRows) {
    if (batch instanceof BatchSplitter.WholeBatch whole) {
      return Optional.of(whole.tables());
    }
    if (batch.numRows() == 0 || batch instanceof BatchSplitter.CountedBatch) {
      return Optional.empty();
    }
    int rows = batch.numRows();
    if (batch.numCols() == 0) {
      long hash = hashRows ? rows * XXH64.hashInt(partition, RowHashes.SEED) : 0;
      return Optional.of(
          new SplitBatch(
              List.of(new SplitBatch.Table(partition, rows, 0, 0)),
              new DeviceRange(0, 0),
              hash,
              () -> {}));
    }
    ColumnVector column = batch.column(0);
    if (!rapids.isPacked(column)) {
      throw new IllegalStateException(
          "RAPIDS passed a batch of %s to a shuffle of packed tables. Remove spark.rapids.shuffle.compression.codec, or set spark.symshuffle.rapids.mode=host"
              .formatted(column.getClass().getSimpleName()));
    }
    Object table = rapids.packedTable(column);
    List<Object> columns =
        IntStream.range(0, types.length).mapToObj(i -> cudf.column(table, i)).toList();
    return Optional.of(
        withRetry(
            () ->
                rapids
                    .serializer()
                    .serialize(columns, types, partition, new int[] {rows}, hashRows)));
  }

  @Override
  public TableSchema schema(DataType[] types) {
    return rapids.serializer().schema(types);
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
        LOG.info("RAPIDS now copies its tables to the host");
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
  public ColumnarBatch assemble(EngineBuffer buffer, long dataBytes, int tables, DataType[] types) {
    AutoCloseable whole = table(buffer, dataBytes, tables, types);
    try {
      return rapids.toBatch(whole, types);
    } finally {
      close(whole);
    }
  }

  /** Assembles tables as {@link #assemble} does; the caller closes the result. */
  AutoCloseable table(EngineBuffer buffer, long dataBytes, int tables, DataType[] types) {
    return rapids.serializer().assemble(((CudfBuffer) buffer).buffer, dataBytes, tables, types);
  }

  @Override
  public long targetBatchBytes() {
    String text = SQLConf.get().getConfString(BATCH_BYTES, DEFAULT_BATCH_BYTES);
    return Math.min(MAX_BATCH_BYTES, Math.max(1, JavaUtils.byteStringAsBytes(text)));
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
