// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Launches that pack a list of tables, one after the other on one stream, without the host. See
 * {@link PackedTables} for the format, and pack.cu for the steps. Its tables are
 * PackDescriptor[tables] and PackResult[tables] of layout.h.
 */
public final class PackLaunch extends KernelLaunch {
  /** Threads per CTA; see tuning.h. */
  static final int THREADS = 256;

  private static final long DESCRIPTOR_BYTES =
      DeviceStruct.layout(KernelStruct.PackDescriptor.class).byteSize();

  private static final long RESULT_BYTES =
      DeviceStruct.layout(KernelStruct.PackResult.class).byteSize();

  /** A step after the first. */
  private record Step(CudaFunction function, LaunchShape shape) {}

  private final List<Step> steps;
  private final DeviceRange to;
  private final int count;

  /** In memory of this launch. */
  private MemorySegment copied = MemorySegment.NULL;

  private List<DeviceRange> packed = List.of();

  private PackLaunch(KernelModule module, List<DeviceRange> tables, DeviceRange to, int units) {
    super(
        module,
        "symshuffle_pack_measure",
        shape(module, units),
        (DESCRIPTOR_BYTES + RESULT_BYTES) * tables.size(),
        segment -> write(tables, segment),
        place ->
            new KernelStruct.PackArguments(
                place.tables(),
                place.tables() + DESCRIPTOR_BYTES * tables.size(),
                to.address(),
                to.bytes() - (long) units * PackedTables.ENTRY_BYTES,
                to.address() + entriesOffset(to, units),
                place.status(),
                tables.size(),
                units,
                module.pe(),
                0));
    this.to = to;
    this.count = tables.size();
    this.steps =
        List.of(
            new Step(
                module.function("symshuffle_pack_place"),
                new LaunchShape(
                    Math.clamp(tables.size(), 1, 2 * module.multiprocessors()), THREADS, 0)),
            new Step(module.function("symshuffle_pack_starts"), new LaunchShape(1, THREADS, 0)),
            new Step(module.function("symshuffle_pack_write"), shape(module, units)));
  }

  static PackLaunch of(KernelModule module, List<DeviceRange> tables, DeviceRange to) {
    long room = PackedTables.roomFor(tables);
    if (to.bytes() < room || to.address() % PackedTables.ALIGNMENT != 0) {
      throw new IllegalArgumentException(
          "packing %d tables needs %d bytes, 16-byte aligned, not %s"
              .formatted(tables.size(), room, to));
    }
    for (DeviceRange table : tables) {
      if (table.overlaps(to)) {
        throw new IllegalArgumentException("%s overlap %s".formatted(table, to));
      }
    }
    return new PackLaunch(module, List.copyOf(tables), to, units(tables));
  }

  /** Returns the blocks of all tables, as the kernels count them. */
  static int units(List<DeviceRange> tables) {
    return Math.toIntExact(
        tables.stream().mapToLong(DeviceRange::bytes).map(PackedTables::units).sum());
  }

  /** Returns the shape of a launch with a warp per block, up to four CTAs per multiprocessor. */
  static LaunchShape shape(KernelModule module, int units) {
    int warps = THREADS / KernelModule.LANES;
    return new LaunchShape(
        Math.clamp((units + warps - 1L) / warps, 1, 4 * module.multiprocessors()), THREADS, 0);
  }

  /** Returns where the temporary memory starts in {@code to}: at its end, 8-byte aligned. */
  private static long entriesOffset(DeviceRange to, int units) {
    return (to.bytes() - (long) units * PackedTables.ENTRY_BYTES) / Long.BYTES * Long.BYTES;
  }

  private static void write(List<DeviceRange> tables, MemorySegment segment) {
    int firstUnit = 0;
    long at = 0;
    for (DeviceRange table : tables) {
      segment.set(JAVA_LONG, at, table.address());
      segment.set(JAVA_LONG, at + 8, table.bytes());
      segment.set(JAVA_INT, at + 16, firstUnit);
      at += DESCRIPTOR_BYTES;
      firstUnit += (int) PackedTables.units(table.bytes());
    }
  }

  @Override
  void launch(CudaStream stream) {
    super.launch(stream);
    for (Step step : steps) {
      step.function().launch(stream, step.shape(), arguments());
    }
  }

  @Override
  void copyResults(CudaStream stream) {
    copied = readTables(stream, DESCRIPTOR_BYTES * count, RESULT_BYTES * count);
    super.copyResults(stream);
  }

  @Override
  public void check() {
    super.check();
    if (copied.equals(MemorySegment.NULL)) {
      return; // a launch that was refused while it was queued
    }
    List<DeviceRange> ranges = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ranges.add(
          to.slice(
              copied.get(JAVA_LONG, RESULT_BYTES * i),
              copied.get(JAVA_LONG, RESULT_BYTES * i + 8)));
    }
    packed = List.copyOf(ranges);
  }

  /**
   * Returns the result of the last launch that was waited for with {@link #await} or checked with
   * {@link #check}; also after {@link #close}.
   *
   * @return where each table's packed form is, in the order of the tables: without gaps from the
   *     start of the destination, 16-byte aligned
   */
  public List<DeviceRange> packed() {
    return packed;
  }

  /** Returns the bytes of all packed tables, which start at the start of the destination. */
  public long packedBytes() {
    return packed.stream().mapToLong(DeviceRange::bytes).sum();
  }
}
