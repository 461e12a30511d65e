// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Prints Java's structs and constants in the format of print_layout.cpp. */
public final class LayoutText {
  private LayoutText() {}

  /** Describes a struct. */
  public static List<String> struct(String name, Class<? extends Record> type) {
    StructLayout layout = DeviceStruct.layout(type);
    List<String> lines = new ArrayList<>();
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
    return lines;
  }

  /** Describes the constants of an enum, except UNKNOWN, which only Java has. */
  public static List<String> constants(String name, Enum<?>[] constants) {
    return IntStream.range(0, constants.length)
        .filter(i -> !constants[i].name().equals("UNKNOWN"))
        .mapToObj(i -> constant(name, constants[i], i))
        .toList();
  }

  /** Describes a constant. */
  public static String constant(String name, Enum<?> constant, int number) {
    StringBuilder camel = new StringBuilder();
    for (String word : constant.name().split("_", -1)) {
      camel.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return "enum %s.k%s %d".formatted(name, camel, number);
  }
}
