// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaStream;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * A launch that checks a list of serialized tables. Its tables are CheckDescriptor[tables],
 * CheckColumn[columns] of layout.h and u32[tables] for the results.
 */
public final class CheckTablesLaunch extends KernelLaunch {
  private static final long DESCRIPTOR_BYTES =
      DeviceStruct.layout(KernelStruct.CheckDescriptor.class).byteSize();

  /** A warp reads the offsets of at least this many bytes of a table. */
  private static final long PART_BYTES = 64 << 10;

  private final int count;
  private final long resultsOffset;

  /** In memory of this launch. */
  private MemorySegment copied = MemorySegment.NULL;

  private int[] results = {};

  private CheckTablesLaunch(
      KernelModule module, List<SerializedTable> tables, TableSchema schema, int parts, int ctas) {
    super(
        module,
        "symshuffle_check_tables",
        module.ctaShape(ctas),
        resultsOffset(tables, schema) + (long) Integer.BYTES * tables.size(),
        segment -> write(tables, schema, segment),
        place ->
            new KernelStruct.CheckArguments(
                place.tables(),
                place.tables() + DESCRIPTOR_BYTES * tables.size(),
                place.tables() + resultsOffset(tables, schema),
                place.status(),
                tables.size(),
                schema.columns().size(),
                parts,
                module.pe()));
    this.count = tables.size();
    this.resultsOffset = resultsOffset(tables, schema);
  }

  static CheckTablesLaunch of(
      KernelModule module, List<SerializedTable> tables, TableSchema schema) {
    int warpsOfCta = module.ctaThreads() / KernelModule.LANES;
    long warps = 2L * module.multiprocessors() * warpsOfCta;
    long longest = tables.stream().mapToLong(table -> table.range().bytes()).max().orElse(0);
    int parts = (int) Math.clamp(warps / Math.max(1, tables.size()), 1, 1 + longest / PART_BYTES);
    long ctas = ((long) tables.size() * parts + warpsOfCta - 1) / warpsOfCta;
    return new CheckTablesLaunch(
        module,
        List.copyOf(tables),
        schema,
        parts,
        Math.clamp(ctas, 1, 2 * module.multiprocessors()));
  }

  private static long resultsOffset(List<SerializedTable> tables, TableSchema schema) {
    return DESCRIPTOR_BYTES * tables.size() + schema.bytes();
  }

  private static void write(
      List<SerializedTable> tables, TableSchema schema, MemorySegment segment) {
    for (int i = 0; i < tables.size(); i++) {
      long at = DESCRIPTOR_BYTES * i;
      segment.set(JAVA_LONG, at, tables.get(i).range().address());
      segment.set(JAVA_LONG, at + 8, tables.get(i).range().bytes());
      segment.set(JAVA_INT, at + 16, (int) tables.get(i).rows());
    }
    schema.write(segment.asSlice(DESCRIPTOR_BYTES * tables.size()));
  }

  @Override
  void zeroResults(CudaStream stream) {
    zeroTables(stream, resultsOffset, resultBytes());
  }

  @Override
  void copyResults(CudaStream stream) {
    copied = readTables(stream, resultsOffset, resultBytes());
    super.copyResults(stream);
  }

  @Override
  public void check() {
    super.check();
    results = copied.toArray(JAVA_INT);
  }

  /**
   * Returns what the last launch that was waited for with {@link #await} or checked with {@link
   * #check} found; also after {@link #close}.
   *
   * @param table its number in the list
   * @return what is wrong with the table, to be read after its name, without a period; empty when
   *     it can be assembled
   * @throws IndexOutOfBoundsException when there is no such table, or nothing was waited for
   */
  public Optional<String> problem(int table) {
    TableProblem problem = TableProblem.of(results[table]);
    return problem == TableProblem.NONE ? Optional.empty() : Optional.of(problem.text());
  }

  private long resultBytes() {
    return (long) count * Integer.BYTES;
  }
}
