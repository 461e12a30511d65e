// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Java's picture of the structs, numbers and units against that of the C++ compiler. */
class KernelLayoutTest {

  @Test
  void everyStructLiesAsInC() throws IOException, InterruptedException {
    List<String> expected = new ArrayList<>();
    for (Class<? extends Record> type : KernelStruct.all()) {
      describe(nameInC(type), KernelStruct.layout(type), expected);
    }
    assertEquals(
        String.join("\n", expected),
        String.join(
            "\n",
            printed()
                .filter(line -> line.matches("(struct|field) .*"))
                .map(line -> line.replace(".pull.", "."))
                .toList()));
  }

  @Test
  void theTableThatTheFatbinExportsIsAccepted() throws IOException, InterruptedException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment table = arena.allocateFrom(JAVA_INT, table());
      assertEquals(Optional.empty(), KernelLayout.read(table).mismatch());
      table.setAtIndex(JAVA_INT, 1, KernelLayout.VERSION + 1);
      assertTrue(KernelLayout.read(table).mismatch().orElseThrow().contains("version"));
    }
  }

  @Test
  void everyConstantIsThatOfC() throws IOException, InterruptedException {
    List<String> expected = new ArrayList<>();
    describe("Code", KernelStatus.Code.values(), expected);
    describe("Operation", KernelStatus.Operation.values(), expected);
    for (ElementType type : ElementType.values()) {
      expected.add("enum ElementType.k%s %d".formatted(camel(type.name()), type.number()));
    }
    for (ReduceOperation operation : ReduceOperation.values()) {
      expected.add(
          "enum ReduceOperation.k%s %d".formatted(camel(operation.name()), operation.number()));
    }
    assertEquals(
        String.join("\n", expected),
        String.join("\n", printed().filter(line -> line.startsWith("enum ")).toList()));
    assertEquals(Piece.MOST_BYTES, number("kMostPieceBytes"));
    assertEquals(KernelLayout.UNIT_BYTES, number("kUnitBytes"));
    assertEquals(1L << 31, number("kMostUnits"));
    assertEquals(RowPartitionPlan.MOST_BYTES, 8 * number("kMostRowWords"));
    assertEquals(RowPartitionPlan.MOST_PARTITIONS, number("kMostRowPartitions"));
    assertEquals(RowPartitionPlan.MOST_TILES, number("kMostRowTiles"));
    assertEquals(RowPartitionPlan.MOST_DIGIT_BITS, number("kMostRowDigitBits"));
    assertEquals(RowPartitionPlan.GROUP_RECORDS, number("kRowGroupRecords"));
  }

  @Test
  void theUnitsOfAPieceAreThoseOfC() throws IOException, InterruptedException {
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
            case 2 -> random.nextLong(Piece.MOST_BYTES + 1);
            default -> Piece.MOST_BYTES - random.nextInt(3);
          };
      input.append("%d %d %d 0%n".formatted(source, destination, bytes));
      expected.append(UnitGeometry.unitsByRemoteSource(source, destination, bytes)).append('\n');
      input.append("%d %d %d 1%n".formatted(source, destination, bytes));
      expected.append(UnitGeometry.unitsByRemoteDestination(destination, bytes)).append('\n');
    }
    assertEquals(
        expected.toString(), HostTests.run(input.toString(), "units").output(), "seed " + seed);
  }

  @Test
  void structsAreWrittenFieldByField() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment struct = arena.allocate(64, 16);
      KernelStruct.write(new KernelStruct.PullDescriptor(11, 12, 13, 14, 15), struct);
      assertEquals(
          List.of(11L, 12L, 13L, 14L, 15L), values(KernelStruct.PullDescriptor.class, struct));
      KernelStruct.write(new KernelStruct.CrcArguments(1, 2, 3, 4, 5, 6, 7), struct);
      assertEquals(
          List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L), values(KernelStruct.CrcArguments.class, struct));
      KernelStruct.write(
          new KernelStruct.DevicePullArguments(1, 2, 3, 4, 5, 6, 7, 0, 8, 9), struct);
      assertEquals(
          List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 0L, 8L, 9L),
          values(KernelStruct.DevicePullArguments.class, struct));
    }
  }

  private static Stream<String> printed() throws IOException, InterruptedException {
    return HostTests.run("", "layout").output().lines();
  }

  private static long number(String name) throws IOException, InterruptedException {
    String start = "number " + name + " ";
    return printed()
        .filter(line -> line.startsWith(start))
        .map(line -> Long.parseLong(line.substring(start.length())))
        .findFirst()
        .orElseThrow();
  }

  /** The words of symshuffle_layout, as layout.cu fills it. */
  private static int[] table() throws IOException, InterruptedException {
    List<Integer> words = new ArrayList<>();
    for (String name :
        List.of(
            "kLayoutMagic",
            "kLayoutVersion",
            "kUnitBytes",
            "kCtaThreads",
            "kTmaCtaThreads",
            "kTmaSharedBytes",
            "kTmaTileUnits",
            "kStructCount")) {
      words.add((int) number(name));
    }
    printed()
        .filter(line -> line.startsWith("struct "))
        .forEach(line -> words.add(Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1))));
    return words.stream().mapToInt(Integer::intValue).toArray();
  }

  private static String nameInC(Class<?> type) {
    return type == KernelStruct.Status.class ? "KernelStatus" : type.getSimpleName();
  }

  private static void describe(String name, StructLayout layout, List<String> lines) {
    lines.add("struct %s %d".formatted(name, layout.byteSize()));
    for (MemoryLayout member : layout.memberLayouts()) {
      String field = member.name().orElseThrow();
      lines.add(
          "field %s.%s %d %d"
              .formatted(
                  name,
                  field.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT),
                  layout.byteOffset(PathElement.groupElement(field)),
                  member.byteSize()));
    }
  }

  /** The constants with their numbers, but for UNKNOWN, which C does not have. */
  private static void describe(String name, Enum<?>[] constants, List<String> lines) {
    IntStream.range(0, constants.length)
        .filter(i -> !constants[i].name().equals("UNKNOWN"))
        .forEach(i -> lines.add("enum %s.k%s %d".formatted(name, camel(constants[i].name()), i)));
  }

  private static String camel(String constant) {
    StringBuilder name = new StringBuilder();
    for (String word : constant.split("_", -1)) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return name.toString();
  }

  private static List<Long> values(Class<? extends Record> type, MemorySegment struct) {
    List<Long> values = new ArrayList<>();
    for (MemoryLayout member : KernelStruct.layout(type).memberLayouts()) {
      long offset = KernelStruct.offset(type, member.name().orElseThrow());
      values.add(
          member.byteSize() == Long.BYTES
              ? struct.get(JAVA_LONG, offset)
              : (long) struct.get(JAVA_INT, offset));
    }
    return values;
  }
}
