// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;

/**
 * A launch that unpacks a list of tables. Its tables are UnpackDescriptor[tables], then u32[tables]
 * for the results.
 */
public final class UnpackLaunch extends KernelLaunch {
  private static final long DESCRIPTOR_BYTES =
      DeviceStruct.layout(KernelStruct.UnpackDescriptor.class).byteSize();

  private final int count;

  /** In memory of this launch. */
  private MemorySegment copied = MemorySegment.NULL;

  private BitSet damaged = new BitSet();

  private UnpackLaunch(
      KernelModule module, List<DeviceRange> packed, List<DeviceRange> plain, int units) {
    super(
        module,
        "symshuffle_unpack",
        PackLaunch.shape(module, units),
        (DESCRIPTOR_BYTES + Integer.BYTES) * plain.size(),
        segment -> write(packed, plain, segment),
        place ->
            new KernelStruct.UnpackArguments(
                place.tables(),
                place.tables() + DESCRIPTOR_BYTES * plain.size(),
                place.status(),
                plain.size(),
                units,
                module.pe(),
                0));
    this.count = plain.size();
  }

  static UnpackLaunch of(KernelModule module, List<DeviceRange> packed, List<DeviceRange> plain) {
    if (packed.size() != plain.size()) {
      throw new IllegalArgumentException(
          "%d packed tables for %d tables".formatted(packed.size(), plain.size()));
    }
    for (int i = 0; i < packed.size(); i++) {
      if (packed.get(i).address() % PackedTables.ALIGNMENT != 0) {
        throw new IllegalArgumentException(
            "packed table %d is not 16-byte aligned: %s".formatted(i, packed.get(i)));
      }
      if (plain.get(i).bytes() > PackedTables.MAX_PLAIN_BYTES) {
        throw new IllegalArgumentException(
            "table %d has more than %d bytes: %s"
                .formatted(i, PackedTables.MAX_PLAIN_BYTES, plain.get(i)));
      }
    }
    return new UnpackLaunch(
        module, List.copyOf(packed), List.copyOf(plain), PackLaunch.units(plain));
  }

  private static void write(
      List<DeviceRange> packed, List<DeviceRange> plain, MemorySegment segment) {
    int firstUnit = 0;
    for (int i = 0; i < plain.size(); i++) {
      long at = DESCRIPTOR_BYTES * i;
      segment.set(JAVA_LONG, at, packed.get(i).address());
      segment.set(JAVA_LONG, at + 8, packed.get(i).bytes());
      segment.set(JAVA_LONG, at + 16, plain.get(i).address());
      segment.set(JAVA_LONG, at + 24, plain.get(i).bytes());
      segment.set(JAVA_INT, at + 32, firstUnit);
      firstUnit += (int) PackedTables.units(plain.get(i).bytes());
    }
  }

  @Override
  void zeroResults(CudaStream stream) {
    zeroTables(stream, DESCRIPTOR_BYTES * count, resultBytes());
  }

  @Override
  void copyResults(CudaStream stream) {
    copied = readTables(stream, DESCRIPTOR_BYTES * count, resultBytes());
    super.copyResults(stream);
  }

  @Override
  public void check() {
    super.check();
    if (copied.equals(MemorySegment.NULL)) {
      return; // a launch that was refused while it was queued
    }
    BitSet set = new BitSet(count);
    for (int i = 0; i < count; i++) {
      set.set(i, copied.getAtIndex(JAVA_INT, i) != 0);
    }
    damaged = set;
  }

  /**
   * Returns the tables that could not be decoded by the last launch that was waited for with {@link
   * #await} or checked with {@link #check}; also after {@link #close}. Damage that leaves the
   * structure of a packed table intact is not noticed: compare a checksum.
   *
   * @return bit i is set if packed table i is damaged; the content of its plain range is undefined
   */
  public BitSet damaged() {
    return (BitSet) damaged.clone();
  }

  private long resultBytes() {
    return (long) count * Integer.BYTES;
  }
}
