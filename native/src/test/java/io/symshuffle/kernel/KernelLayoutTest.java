// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.ffi.Segments;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Compares Java's structs, numbers and units with those of the C++ compiler. */
@Execution(ExecutionMode.CONCURRENT)
class KernelLayoutTest {

  @Test
  void structsHaveTheLayoutOfC() throws IOException, InterruptedException {
    List<String> expected = new ArrayList<>();
    for (Class<? extends Record> type : KernelStruct.all()) {
      expected.addAll(LayoutText.struct(nameInC(type), type));
    }
    assertEquals(
        String.join("\n", expected),
        String.join("\n", printed().filter(line -> line.matches("(struct|field) .*")).toList()));
  }

  @Test
  void acceptsTheTableThatTheFatbinExports() throws IOException, InterruptedException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment table = Segments.allocateCopy(arena, MemorySegment.ofArray(table()));
      assertEquals(Optional.empty(), KernelLayout.read(table).mismatch(KernelStruct.all()));
      table.setAtIndex(JAVA_INT, 1, KernelLayout.VERSION + 1);
      assertTrue(
          KernelLayout.read(table).mismatch(KernelStruct.all()).orElseThrow().contains("version"));
    }
  }

  @Test
  void constantsMatchC() throws IOException, InterruptedException {
    List<String> expected = new ArrayList<>();
    expected.addAll(LayoutText.constants("Code", KernelStatus.Code.values()));
    expected.addAll(LayoutText.constants("ReducedType", AllReduce.Type.values()));
    expected.addAll(LayoutText.constants("ReductionKind", AllReduce.Operation.values()));
    expected.addAll(LayoutText.constants("SerializedKind", TableSchema.Kind.values()));
    expected.addAll(LayoutText.constants("TableProblem", TableProblem.values()));
    assertEquals(
        String.join("\n", expected),
        String.join("\n", printed().filter(line -> line.startsWith("enum ")).toList()));
    assertEquals(KudoTables.MAGIC, number("kSerializedMagic"));
    assertEquals(KudoTables.HEADER_BYTES, number("kSerializedHeaderBytes"));
    assertEquals(TableSchema.MAX_DEPTH, number("kMaxSchemaDepth"));
    assertEquals(Piece.MAX_BYTES, number("kMaxPieceBytes"));
    assertEquals(KernelLayout.UNIT_BYTES, number("kUnitBytes"));
    assertEquals(1L << 31, number("kMaxUnits"));
    assertEquals(PackedTables.MAGIC, number("kPackedMagic"));
    assertEquals(PackedTables.VERSION, number("kPackedVersion"));
    assertEquals(PackedTables.HEADER_BYTES, number("kPackedHeaderBytes"));
    assertEquals(PackedTables.ENTRY_BYTES, number("kPackedEntryBytes"));
    assertEquals(PackedTables.BLOCK_BYTES, number("kPackBlockBytes"));
    assertEquals(PackedTables.MAX_PLAIN_BYTES, number("kMaxPackBytes"));
    assertEquals(AllReduce.MAX_CTAS, number("kMaxReduceCtas"));
    assertEquals(AllReduce.CONTROL_BYTES, number("kMaxReduceCtas") * number("kFlagBytes"));
    assertEquals(PackLaunch.THREADS, number("kPackThreads"));
  }

  @Test
  void unitsOfAPieceMatchC() throws IOException, InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    StringBuilder input = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 2000; i++) {
      long source = (1L << 40) + random.nextInt(1 << 20);
      long destination = (1L << 41) + random.nextInt(1 << 20);
      long bytes =
          switch (i % 4) {
            case 0 -> random.nextInt(300);
            case 1 -> 2048L * random.nextInt(10) + random.nextInt(33) + (i < 200 ? 0 : 100);
            case 2 -> random.nextLong(Piece.MAX_BYTES + 1);
            default -> Piece.MAX_BYTES - random.nextInt(3);
          };
      input.append("%d %d %d%n".formatted(source, destination, bytes));
      expected.append(UnitGeometry.units(source, destination, bytes)).append('\n');
    }
    assertEquals(
        expected.toString(),
        HostTests.ofKernels().run(input.toString(), "units").output(),
        "seed " + seed);
  }

  private static Stream<String> printed() throws IOException, InterruptedException {
    return HostTests.ofKernels().run("", "layout").output().lines();
  }

  private static long number(String name) throws IOException, InterruptedException {
    String start = "number " + name + " ";
    return printed()
        .filter(line -> line.startsWith(start))
        .map(line -> Long.parseLong(line.substring(start.length())))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the words of symshuffle_layout, as layout.cu defines it. */
  private static int[] table() throws IOException, InterruptedException {
    List<Integer> words = new ArrayList<>();
    for (String name : List.of("kLayoutMagic", "kLayoutVersion", "kUnitBytes", "kCtaThreads")) {
      words.add((int) number(name));
    }
    words.add(KernelStruct.all().size());
    printed()
        .filter(line -> line.startsWith("struct "))
        .forEach(line -> words.add(Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1))));
    return words.stream().mapToInt(Integer::intValue).toArray();
  }

  private static String nameInC(Class<?> type) {
    return type == KernelStruct.Status.class ? "KernelStatus" : type.getSimpleName();
  }
}
