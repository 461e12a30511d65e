// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Messages as lines: JSON objects whose field {@code kind} is the simple name of the record. */
public final class LineCodec {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String KIND = "kind";

  private LineCodec() {}

  /** Returns the line, without its end, of a request or reply. */
  public static String line(Record message) {
    ObjectNode fields = JSON.valueToTree(message);
    fields.put(KIND, message.getClass().getSimpleName());
    return fields.toString();
  }

  /**
   * Parses a request.
   *
   * @throws IOException if the line is not a request
   */
  public static Request request(String line) throws IOException {
    return read(line, Request.class);
  }

  /**
   * Parses a reply.
   *
   * @throws IOException if the line is not a reply
   */
  public static Reply reply(String line) throws IOException {
    return read(line, Reply.class);
  }

  private static <T> T read(String line, Class<T> type) throws IOException {
    try {
      ObjectNode fields = JSON.readValue(line, ObjectNode.class);
      String kind = fields.path(KIND).asText();
      fields.remove(KIND);
      Map<String, Class<?>> kinds =
          Arrays.stream(type.getPermittedSubclasses())
              .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));
      if (!kinds.containsKey(kind)) {
        throw new IOException("'" + kind + "' is not a " + type.getSimpleName() + ": " + line);
      }
      return type.cast(JSON.treeToValue(fields, kinds.get(kind)));
    } catch (JsonProcessingException e) {
      throw new IOException("not a " + type.getSimpleName() + ": " + line, e);
    }
  }
}
