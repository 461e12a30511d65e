// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.XxHash64;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Random rows with nulls, packed as cuDF packs them, with their hashes as Spark computes them. Data
 * is aligned to 64 bytes, as by cuDF.
 */
final class PackedRows {
  static final DecimalType DECIMAL_32 = DataTypes.createDecimalType(9, 2);
  static final DecimalType DECIMAL_64 = DataTypes.createDecimalType(18, 4);
  static final DecimalType DECIMAL_128 = DataTypes.createDecimalType(38, 10);

  static final List<DataType> TYPES =
      List.of(
          DataTypes.BooleanType,
          DataTypes.ByteType,
          DataTypes.ShortType,
          DataTypes.IntegerType,
          DataTypes.LongType,
          DataTypes.FloatType,
          DataTypes.DoubleType,
          DataTypes.DateType,
          DataTypes.TimestampType,
          DataTypes.TimestampNTZType,
          DECIMAL_32,
          DECIMAL_64,
          DECIMAL_128,
          DataTypes.StringType);

  private final Random random;
  private final int rows;
  private final ByteBuffer data = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
  private final ByteBuffer entries = ByteBuffer.allocate(1 << 14).order(ByteOrder.LITTLE_ENDIAN);

  /** The values of each row. */
  private final List<List<Expression>> values = new ArrayList<>();

  PackedRows(Random random, int rows) {
    this.random = random;
    this.rows = rows;
    for (int r = 0; r < rows; r++) {
      values.add(new ArrayList<>());
    }
    entries.putInt(2).putInt(0).putInt(rows).putInt(0);
  }

  int rows() {
    return rows;
  }

  byte[] data() {
    align();
    return Arrays.copyOf(data.array(), data.position());
  }

  byte[] metadata() {
    return Arrays.copyOf(entries.array(), entries.position());
  }

  /** The sum of {@code xxhash64} of all rows. */
  long sum(long seed) {
    return values.stream()
        .mapToLong(
            row ->
                (long)
                    new XxHash64(CollectionConverters.asScala(row).toSeq(), seed)
                        .eval(InternalRow.empty()))
        .sum();
  }

  /** Adds a column of random values, of which some may be null. */
  void add(DataType type) {
    if (type.equals(DataTypes.StringType)) {
      addStrings(false);
      return;
    }
    boolean[] nulls = nulls();
    long validity = validity(nulls);
    align();
    int start = data.position();
    for (int r = 0; r < rows; r++) {
      Object value = value(type);
      values.get(r).add(Literal.create(nulls[r] ? null : value, type));
    }
    entry(typeId(type), rows, count(nulls), start, validity, 0);
    countColumn();
  }

  /** Adds a column of strings with offsets of 32 or 64 bits. */
  void addStrings(boolean large) {
    boolean[] nulls = nulls();
    long validity = validity(nulls);
    align();
    int start = data.position();
    long[] offsets = new long[rows + 1];
    for (int r = 0; r < rows; r++) {
      byte[] bytes = new byte[nulls[r] ? 0 : random.nextInt(random.nextInt(5) == 0 ? 200 : 12)];
      random.nextBytes(bytes);
      data.put(bytes);
      offsets[r + 1] = offsets[r] + bytes.length;
      Object value = nulls[r] ? null : UTF8String.fromBytes(bytes);
      values.get(r).add(Literal.create(value, DataTypes.StringType));
    }
    entry(23, rows, count(nulls), offsets[rows] == 0 ? -1 : start, validity, 1);
    align();
    start = data.position();
    for (long offset : offsets) {
      if (large) {
        data.putLong(offset);
      } else {
        data.putInt((int) offset);
      }
    }
    entry(large ? 4 : 3, rows + 1, 0, start, -1, 0);
    countColumn();
  }

  /**
   * Adds a column of lists of structs of a number and a string, without values, and a column of
   * lists, all of which are empty.
   */
  void addNested() {
    int elements = 2 * rows;
    long validity = zeros(rows / 8 + 8);
    entry(24, rows, 1, -1, validity, 2);
    entry(3, rows + 1, 0, zeros(4 * (rows + 1)), -1, 0);
    entry(28, elements, 0, -1, -1, 2);
    entry(4, elements, 0, zeros(8 * elements), -1, 0);
    entry(23, elements, 0, -1, -1, 1);
    entry(3, elements + 1, 0, zeros(4 * (elements + 1)), -1, 0);
    countColumn();
    entry(24, rows, 0, -1, -1, 2);
    entry(3, rows + 1, 0, zeros(4 * (rows + 1)), -1, 0);
    entry(23, 0, 0, -1, -1, 1);
    entry(3, 0, 0, -1, -1, 0);
    countColumn();
  }

  private long zeros(int bytes) {
    align();
    int start = data.position();
    data.put(new byte[bytes]);
    return start;
  }

  /** Adds a column of a type that is not hashed, without data. */
  void addOther(int typeId, int children) {
    entry(typeId, rows, 0, -1, -1, children);
    countColumn();
  }

  private void countColumn() {
    entries.putInt(4, entries.getInt(4) + 1);
  }

  private void entry(int type, int size, int nulls, long at, long validity, int children) {
    entries.putInt(type).putInt(0).putInt(size).putInt(nulls);
    entries.putLong(at).putLong(validity).putInt(children).putInt(0);
  }

  private boolean[] nulls() {
    boolean[] nulls = new boolean[rows];
    if (random.nextBoolean()) {
      for (int r = 0; r < rows; r++) {
        nulls[r] = random.nextInt(3) == 0;
      }
    }
    return nulls;
  }

  private static int count(boolean[] nulls) {
    int count = 0;
    for (boolean each : nulls) {
      count += each ? 1 : 0;
    }
    return count;
  }

  /** Returns the place of the validity; columns without nulls may have one, too. */
  private long validity(boolean[] nulls) {
    if (count(nulls) == 0 && random.nextBoolean()) {
      return -1;
    }
    align();
    int start = data.position();
    for (int first = 0; first < rows; first += 32) {
      int word = 0;
      for (int r = first; r < Math.min(rows, first + 32); r++) {
        word |= (nulls[r] ? 0 : 1) << (r - first);
      }
      data.putInt(word);
    }
    return start;
  }

  private void align() {
    data.position((data.position() + 63) & -64);
  }

  /** Appends a value; returns it as Spark has it. */
  private Object value(DataType type) {
    long bits = random.nextLong() >> random.nextInt(64);
    if (type.equals(DataTypes.BooleanType)) {
      data.put((byte) (bits & 1));
      return (bits & 1) == 1;
    }
    if (type.equals(DataTypes.ByteType)) {
      data.put((byte) bits);
      return (byte) bits;
    }
    if (type.equals(DataTypes.ShortType)) {
      data.putShort((short) bits);
      return (short) bits;
    }
    if (type.equals(DataTypes.IntegerType) || type.equals(DataTypes.DateType)) {
      data.putInt((int) bits);
      return (int) bits;
    }
    if (type.equals(DataTypes.FloatType)) {
      float value = bits % 4 == 0 ? -0.0f : Float.intBitsToFloat((int) bits);
      data.putInt(Float.floatToRawIntBits(value));
      return value;
    }
    if (type.equals(DataTypes.DoubleType)) {
      double value = bits % 4 == 0 ? -0.0 : Double.longBitsToDouble(bits);
      data.putLong(Double.doubleToRawLongBits(value));
      return value;
    }
    if (type instanceof DecimalType decimal) {
      return decimal(decimal);
    }
    data.putLong(bits);
    return bits;
  }

  private Decimal decimal(DecimalType type) {
    BigInteger limit = BigInteger.TEN.pow(type.precision());
    BigInteger unscaled = new BigInteger(random.nextInt(limit.bitLength()), random).mod(limit);
    unscaled = random.nextBoolean() ? unscaled.negate() : unscaled;
    if (type.equals(DECIMAL_32)) {
      data.putInt(unscaled.intValueExact());
    } else {
      data.putLong(unscaled.longValue());
      if (type.equals(DECIMAL_128)) {
        data.putLong(unscaled.shiftRight(64).longValue());
      }
    }
    return Decimal.apply(new BigDecimal(unscaled, type.scale()), type.precision(), type.scale());
  }

  private static int typeId(DataType type) {
    return switch (type.typeName()) {
      case "byte" -> 1;
      case "short" -> 2;
      case "integer" -> 3;
      case "long" -> 4;
      case "float" -> 9;
      case "double" -> 10;
      case "boolean" -> 11;
      case "date" -> 12;
      case "timestamp", "timestamp_ntz" -> 15;
      case "decimal(9,2)" -> 25;
      case "decimal(18,4)" -> 26;
      case "decimal(38,10)" -> 27;
      default -> throw new IllegalArgumentException(type.typeName());
    };
  }
}
