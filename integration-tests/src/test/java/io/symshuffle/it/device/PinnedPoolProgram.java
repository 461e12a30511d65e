// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.it.device;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.PinnedBuffer;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Concatenates cuDF tables as RAPIDS does, while large copies delay those to the GPU and other
 * threads write to buffers of RAPIDS' pinned memory pool. Needs the jar of RAPIDS and a GPU.
 *
 * <p>Argument: whether cuDF shares the pool. Prints {@code WRONG n OF m} concatenations.
 */
public final class PinnedPoolProgram {
  private static final String CUDF = "ai.rapids.cudf.";
  private static final int ROUNDS = 2_000;
  private static final int TABLES = 16;
  private static final int ROWS = 500;
  private static final int CHURNERS = 3;
  private static final long POOL_BYTES = 64L << 20;
  private static final long LARGE_BYTES = 256L << 20;

  /** The sizes of cuDF's small allocations, rounded up as its pool does. */
  private static final long[] SIZES = {256, 512, 1024, 2048};

  private final Class<?> table = Class.forName(CUDF + "Table");
  private final Class<?> vector = Class.forName(CUDF + "ColumnVector");
  private final Class<?> pool = Class.forName(CUDF + "PinnedMemoryPool");
  private final Method tryAllocate = pool.getMethod("tryAllocate", long.class);
  private final Method setMemory =
      Class.forName(CUDF + "HostMemoryBuffer")
          .getMethod("setMemory", long.class, long.class, byte.class);
  private final AtomicBoolean stop = new AtomicBoolean();

  private PinnedPoolProgram() throws ReflectiveOperationException {}

  /** Runs all rounds. */
  public static void main(String[] arguments) throws Exception {
    new PinnedPoolProgram().run(Boolean.parseBoolean(arguments[0]));
  }

  private void run(boolean shared) throws Exception {
    Class<?> rmm = Class.forName(CUDF + "Rmm");
    int asyncPool = 8;
    rmm.getMethod("initialize", int.class, Class.forName(CUDF + "Rmm$LogConf"), long.class)
        .invoke(null, asyncPool, null, 4L << 30);
    // As RAPIDS starts it.
    pool.getMethod("configureDefaultCudfPinnedPoolSize", long.class).invoke(null, 0L);
    pool.getMethod("initialize", long.class, int.class, boolean.class)
        .invoke(null, POOL_BYTES, 0, shared);
    List<Thread> others = new ArrayList<>();
    others.add(Thread.ofPlatform().daemon().start(this::copyLargeBuffers));
    for (int i = 0; i < CHURNERS; i++) {
      others.add(Thread.ofPlatform().daemon().start(() -> churn(Long.MAX_VALUE)));
    }
    AutoCloseable[] parts = new AutoCloseable[TABLES];
    for (int i = 0; i < TABLES; i++) {
      parts[i] = tableOf(i);
    }
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
      wrong += isRight(parts) ? 0 : 1;
    }
    stop.set(true);
    for (Thread other : others) {
      other.join();
    }
    System.out.printf("WRONG %d OF %d%n", wrong, ROUNDS);
    System.exit(0);
  }

  /** Keeps the engine for copies to the GPU busy. */
  private void copyLargeBuffers() {
    CudaContext context = CudaDriver.system().device(0).openPrimaryContext();
    try (CudaStream stream = context.newStream();
        PinnedBuffer from = context.allocatePinned(LARGE_BYTES);
        DeviceBuffer to = context.allocate(LARGE_BYTES)) {
      while (!stop.get()) {
        stream.copyIn(to.range(), from.memory());
        stream.copyIn(to.range(), from.memory());
        stream.synchronize();
      }
    }
  }

  /** Allocates, overwrites and frees buffers of the pool, as RAPIDS' Java code does. */
  private void churn(long rounds) {
    try {
      for (long round = 0; round < rounds && !stop.get(); round++) {
        for (long bytes : SIZES) {
          try (AutoCloseable buffer = (AutoCloseable) tryAllocate.invoke(null, bytes)) {
            setMemory.invoke(buffer, 0L, bytes, (byte) 1);
          }
        }
      }
    } catch (Exception e) {
      throw new IllegalStateException("cannot use the pinned pool", e);
    }
  }

  private AutoCloseable tableOf(int number) throws Exception {
    long[] rows = new long[ROWS];
    for (int row = 0; row < ROWS; row++) {
      rows[row] = (long) number * ROWS + row;
    }
    try (AutoCloseable column =
        (AutoCloseable) vector.getMethod("fromLongs", long[].class).invoke(null, (Object) rows)) {
      Object columns = Array.newInstance(vector, 1);
      Array.set(columns, 0, column);
      return (AutoCloseable) table.getConstructor(vector.arrayType()).newInstance(columns);
    }
  }

  private boolean isRight(AutoCloseable[] parts) throws Exception {
    Object tables = Array.newInstance(table, parts.length);
    for (int i = 0; i < parts.length; i++) {
      Array.set(tables, i, parts[i]);
    }
    try (AutoCloseable whole =
        (AutoCloseable) table.getMethod("concatenate", table.arrayType()).invoke(null, tables)) {
      churn(1);
      Object column = table.getMethod("getColumn", int.class).invoke(whole, 0);
      try (AutoCloseable host = (AutoCloseable) vector.getMethod("copyToHost").invoke(column)) {
        Method longAt = host.getClass().getMethod("getLong", long.class);
        for (long row = 0; row < (long) TABLES * ROWS; row++) {
          if ((long) longAt.invoke(host, row) != row) {
            return false;
          }
        }
        return true;
      }
    }
  }
}
