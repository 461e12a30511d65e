// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.cuda.DeviceRange;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of cuDF's Java API that a shuffle of packed tables needs ({@code ai.rapids.cudf}, as of
 * 26.08). Arguments and results of type {@code Object} have cuDF's types. Thread-safe.
 */
final class CudfApi {
  private final Class<?> table;
  private final Member fromPackedTable;
  private final Member concatenate;
  private final Member newTable;
  private final Member column;
  private final Member rowCount;
  private final Member contiguousSplit;
  private final Member packedRows;
  private final Member packedBuffer;
  private final Member packedMetadata;
  private final Member allocate;
  private final Member wrap;
  private final Member slice;
  private final Member address;
  private final Member length;
  private final Member retain;
  private final Member device;
  private final Member defaultStream;
  private final Member streamHandle;
  private final Member fromLongs;
  private final Member copyToHost;
  private final Member longAt;
  private final Member fromStrings;
  private final Member stringAt;
  private final Member isNull;

  CudfApi(Members members) throws RapidsMismatchException {
    this.table = members.type("ai.rapids.cudf.Table");
    Class<?> contiguous = members.type("ai.rapids.cudf.ContiguousTable");
    Class<?> buffer = members.type("ai.rapids.cudf.DeviceMemoryBuffer");
    Class<?> memory = members.type("ai.rapids.cudf.MemoryBuffer");
    Class<?> vector = members.type("ai.rapids.cudf.ColumnVector");
    Class<?> hostVector = members.type("ai.rapids.cudf.HostColumnVector");
    Class<?> cuda = members.type("ai.rapids.cudf.Cuda");
    Class<?> stream = members.type("ai.rapids.cudf.Cuda$Stream");
    this.fromPackedTable =
        members.staticMethod(table, "fromPackedTable", table, ByteBuffer.class, buffer);
    this.concatenate = members.staticMethod(table, "concatenate", table, table.arrayType());
    this.newTable = members.constructor(table, vector.arrayType());
    this.column = members.method(table, "getColumn", vector, int.class);
    this.rowCount = members.method(table, "getRowCount", long.class);
    this.contiguousSplit =
        members.method(table, "contiguousSplit", contiguous.arrayType(), int[].class);
    this.packedRows = members.method(contiguous, "getRowCount", long.class);
    this.packedBuffer = members.method(contiguous, "getBuffer", buffer);
    this.packedMetadata = members.method(contiguous, "getMetadataDirectBuffer", ByteBuffer.class);
    this.allocate = members.staticMethod(buffer, "allocate", buffer, long.class);
    this.wrap = members.staticMethod(buffer, "fromRmm", buffer, long.class, long.class, long.class);
    this.slice = members.method(buffer, "slice", buffer, long.class, long.class);
    this.address = members.method(memory, "getAddress", long.class);
    this.length = members.method(memory, "getLength", long.class);
    this.retain = members.method(memory, "incRefCount", void.class);
    this.device = members.staticMethod(cuda, "getDevice", int.class);
    this.defaultStream = members.staticField(cuda, "DEFAULT_STREAM", stream);
    this.streamHandle = members.method(stream, "getStream", long.class);
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

  /**
   * Creates a table over packed bytes, which it keeps alive; the metadata must be in a direct
   * buffer.
   */
  AutoCloseable unpack(ByteBuffer metadata, Object buffer) {
    return (AutoCloseable) fromPackedTable.call(metadata, buffer);
  }

  /** Concatenates tables into a new one with separate memory. */
  AutoCloseable concatenate(AutoCloseable[] tables) {
    Object array = Array.newInstance(table, tables.length);
    for (int i = 0; i < tables.length; i++) {
      Array.set(array, i, tables[i]);
    }
    return (AutoCloseable) concatenate.call(array);
  }

  /**
   * Creates a table with a column of numbers and a column of strings of the same length, some of
   * which may be null.
   */
  AutoCloseable tableOf(long[] numbers, String[] words) {
    try (AutoCloseable first = (AutoCloseable) fromLongs.call((Object) numbers);
        AutoCloseable second = (AutoCloseable) fromStrings.call((Object) words)) {
      Object array = Array.newInstance(first.getClass(), 2);
      Array.set(array, 0, first);
      Array.set(array, 1, second);
      return (AutoCloseable) newTable.call(array);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("cannot create a table: " + e.getMessage(), e);
    }
  }

  /** The rows of such a table, each as number and word. */
  List<String> rowsOf(Object tableOfBoth) {
    try (AutoCloseable numbers = (AutoCloseable) copyToHost.call(column.call(tableOfBoth, 0));
        AutoCloseable words = (AutoCloseable) copyToHost.call(column.call(tableOfBoth, 1))) {
      List<String> rows = new ArrayList<>();
      for (long i = 0; i < (long) rowCount.call(tableOfBoth); i++) {
        Object word = (boolean) isNull.call(words, i) ? null : stringAt.call(words, i);
        rows.add(longAt.call(numbers, i) + " " + word);
      }
      return rows;
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("cannot read a table: " + e.getMessage(), e);
    }
  }

  /** Packs a whole table into one {@code ContiguousTable}. */
  AutoCloseable pack(Object tableToPack) {
    return (AutoCloseable) Array.get(contiguousSplit.call(tableToPack, new int[0]), 0);
  }

  /** Number of rows of a {@code ContiguousTable}. */
  long packedRows(Object packed) {
    return (long) packedRows.call(packed);
  }

  /** Buffer of a {@code ContiguousTable}; null if it has no bytes. */
  Object packedBuffer(Object packed) {
    return packedBuffer.call(packed);
  }

  /** Metadata of a {@code ContiguousTable}, valid while the table is open. */
  ByteBuffer packedMetadata(Object packed) {
    return (ByteBuffer) packedMetadata.call(packed);
  }

  /** Allocates memory from cuDF's pool. */
  AutoCloseable allocate(long bytes) {
    return (AutoCloseable) allocate.call(bytes);
  }

  /** Creates a buffer over memory that cuDF does not own. */
  AutoCloseable wrap(DeviceRange range) {
    return (AutoCloseable) wrap.call(range.address(), range.bytes(), 0L);
  }

  /** A slice of a buffer, which it keeps alive. */
  AutoCloseable slice(Object buffer, long offset, long bytes) {
    return (AutoCloseable) slice.call(buffer, offset, bytes);
  }

  DeviceRange range(Object buffer) {
    return new DeviceRange((long) address.call(buffer), (long) length.call(buffer));
  }

  /** Increments the reference count of a buffer. */
  void retain(Object buffer) {
    retain.call(buffer);
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
