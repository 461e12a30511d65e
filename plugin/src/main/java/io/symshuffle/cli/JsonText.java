// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes JSON without a library, since our jar contains none. Values are maps with string keys,
 * lists, strings, numbers, booleans and null.
 */
public final class JsonText {
  private JsonText() {}

  /**
   * Creates an object.
   *
   * @param entries keys and values, alternating
   * @return a map that keeps their order
   */
  public static Map<String, Object> object(Object... entries) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < entries.length; i += 2) {
      object.put((String) entries[i], entries[i + 1]);
    }
    return object;
  }

  /**
   * Writes a value, indented by two spaces per level.
   *
   * @param value the value
   * @return the text, without a final line break
   * @throws IllegalArgumentException for a value of another type, or a number that JSON cannot
   *     represent
   */
  public static String of(Object value) {
    StringBuilder text = new StringBuilder();
    write(text, value, "\n");
    return text.toString();
  }

  private static void write(StringBuilder text, Object value, String newline) {
    switch (value) {
      case null -> text.append("null");
      case String string -> quote(text, string);
      case Boolean bool -> text.append(bool);
      case Double d when d.isNaN() || d.isInfinite() ->
          throw new IllegalArgumentException(d + " is not a JSON number");
      case Number number -> text.append(number);
      case List<?> list -> writeAll(text, '[', list, ']', newline);
      case Map<?, ?> map -> writeAll(text, '{', List.copyOf(map.entrySet()), '}', newline);
      default -> throw new IllegalArgumentException(value.getClass() + " is not a JSON value");
    }
  }

  private static void writeAll(
      StringBuilder text, char open, List<?> elements, char close, String newline) {
    text.append(open);
    String inner = newline + "  ";
    String separator = inner;
    for (Object element : elements) {
      text.append(separator);
      if (element instanceof Map.Entry<?, ?> entry) {
        quote(text, (String) entry.getKey());
        text.append(": ");
        write(text, entry.getValue(), inner);
      } else {
        write(text, element, inner);
      }
      separator = "," + inner;
    }
    text.append(elements.isEmpty() ? "" : newline).append(close);
  }

  private static void quote(StringBuilder text, String string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\t' -> text.append("\\t");
        default -> {
          if (c < ' ') {
            text.append("\\u%04x".formatted((int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }
}
