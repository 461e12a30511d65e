// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.cuda.DeviceRange;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of cuDF's Java API that a shuffle of tables needs ({@code ai.rapids.cudf}, as of 26.08).
 * Arguments and results of type {@code Object} have cuDF's types. Thread-safe.
 */
final class CudfApi {
  private final Class<?> table;
  private final Class<?> vector;
  private final Member newTable;
  private final Member column;
  private final Member rowCount;
  private final Member allocate;
  private final Member slice;
  private final Member address;
  private final Member length;
  private final Member device;
  private final Member defaultStream;
  private final Member streamHandle;
  private final Member allocateHost;
  private final Member copyToBuffer;
  private final Member bytes;
  private final Member fromLongs;
  private final Member copyToHost;
  private final Member longAt;
  private final Member fromStrings;
  private final Member stringAt;
  private final Member isNull;

  CudfApi(Members members) throws RapidsMismatchException {
    this.table = members.type("ai.rapids.cudf.Table");
    Class<?> buffer = members.type("ai.rapids.cudf.DeviceMemoryBuffer");
    Class<?> memory = members.type("ai.rapids.cudf.MemoryBuffer");
    this.vector = members.type("ai.rapids.cudf.ColumnVector");
    Class<?> hostVector = members.type("ai.rapids.cudf.HostColumnVector");
    Class<?> hostBuffer = members.type("ai.rapids.cudf.HostMemoryBuffer");
    Class<?> cuda = members.type("ai.rapids.cudf.Cuda");
    Class<?> stream = members.type("ai.rapids.cudf.Cuda$Stream");
    this.newTable = members.constructor(table, vector.arrayType());
    this.column = members.method(table, "getColumn", vector, int.class);
    this.rowCount = members.method(table, "getRowCount", long.class);
    this.allocate = members.staticMethod(buffer, "allocate", buffer, long.class);
    this.slice = members.method(buffer, "slice", buffer, long.class, long.class);
    this.address = members.method(memory, "getAddress", long.class);
    this.length = members.method(memory, "getLength", long.class);
    this.device = members.staticMethod(cuda, "getDevice", int.class);
    this.defaultStream = members.staticField(cuda, "DEFAULT_STREAM", stream);
    this.streamHandle = members.method(stream, "getStream", long.class);
    this.allocateHost = members.staticMethod(hostBuffer, "allocate", hostBuffer, long.class);
    this.copyToBuffer =
        members.method(
            hostBuffer,
            "copyFromDeviceBuffer",
            void.class,
            members.type("ai.rapids.cudf.BaseDeviceMemoryBuffer"));
    this.bytes = members.method(hostBuffer, "asByteBuffer", ByteBuffer.class);
    this.fromLongs = members.staticMethod(vector, "fromLongs", vector, long[].class);
    this.copyToHost = members.method(vector, "copyToHost", hostVector);
    this.longAt = members.method(hostVector, "getLong", long.class, long.class);
    this.fromStrings = members.staticMethod(vector, "fromStrings", vector, String[].class);
    this.stringAt = members.method(hostVector, "getJavaString", String.class, long.class);
    this.isNull = members.method(hostVector, "isNull", boolean.class, long.class);
  }

  Class<?> table() {
    return table;
  }

  Class<?> column() {
    return vector;
  }

  /** Creates a table of columns, which it keeps alive. */
  AutoCloseable table(List<?> columns) {
    Object array = Array.newInstance(vector, columns.size());
    for (int i = 0; i < columns.size(); i++) {
      Array.set(array, i, columns.get(i));
    }
    return (AutoCloseable) newTable.call(array);
  }

  /** A column of a table, valid while the table is open. */
  Object column(Object ofTable, int number) {
    return column.call(ofTable, number);
  }

  /** The numbers in a buffer of GPU memory, after waiting for the GPU. */
  long[] longsOf(Object buffer) {
    try (Closing closing = new Closing()) {
      Object host = closing.add(allocateHost.call(range(buffer).bytes()));
      copyToBuffer.call(host, buffer);
      LongBuffer numbers =
          ((ByteBuffer) bytes.call(host)).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
      long[] copy = new long[numbers.remaining()];
      numbers.get(copy);
      return copy;
    }
  }

  /**
   * Creates a table with a column of numbers and a column of strings of the same length, some of
   * which may be null.
   */
  AutoCloseable tableOf(long[] numbers, String[] words) {
    try (Closing closing = new Closing()) {
      return table(
          List.of(
              closing.add(fromLongs.call((Object) numbers)),
              closing.add(fromStrings.call((Object) words))));
    }
  }

  /** The rows of such a table, each as number and word. */
  List<String> rowsOf(Object tableOfBoth) {
    try (Closing closing = new Closing()) {
      Object numbers = closing.add(copyToHost.call(column(tableOfBoth, 0)));
      Object words = closing.add(copyToHost.call(column(tableOfBoth, 1)));
      List<String> rows = new ArrayList<>();
      for (long i = 0; i < rows(tableOfBoth); i++) {
        Object word = (boolean) isNull.call(words, i) ? null : stringAt.call(words, i);
        rows.add(longAt.call(numbers, i) + " " + word);
      }
      return rows;
    }
  }

  /** Number of rows of a table. */
  long rows(Object ofTable) {
    return (long) rowCount.call(ofTable);
  }

  /** Allocates memory from cuDF's pool. */
  AutoCloseable allocate(long bytes) {
    return (AutoCloseable) allocate.call(bytes);
  }

  /** A slice of a buffer, which it keeps alive. */
  AutoCloseable slice(Object buffer, long offset, long bytes) {
    return (AutoCloseable) slice.call(buffer, offset, bytes);
  }

  DeviceRange range(Object buffer) {
    return new DeviceRange((long) address.call(buffer), (long) length.call(buffer));
  }

  /** Number of the calling thread's GPU among the visible ones. */
  int device() {
    return (int) device.call();
  }

  /** The CUstream that cuDF uses on the calling thread. */
  long streamHandle() {
    return (long) streamHandle.call(defaultStream.call());
  }
}
