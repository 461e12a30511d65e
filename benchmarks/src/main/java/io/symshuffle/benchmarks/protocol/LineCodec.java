// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

/** Messages as lines: JSON objects whose field {@code kind} is the simple name of the record. */
public final class LineCodec {
  private static final ObjectMapper JSON = new ObjectMapper();

  static {
    JSON.registerSubtypes(Request.class.getPermittedSubclasses());
    JSON.registerSubtypes(Reply.class.getPermittedSubclasses());
  }

  private LineCodec() {}

  /** Returns the line, without its end, of a request or reply. */
  public static String line(Record message) {
    return JSON.valueToTree(message).toString();
  }

  /**
   * Parses a request.
   *
   * @throws IOException if the line is not a request
   */
  public static Request request(String line) throws IOException {
    return JSON.readValue(line, Request.class);
  }

  /**
   * Parses a reply.
   *
   * @throws IOException if the line is not a reply
   */
  public static Reply reply(String line) throws IOException {
    return JSON.readValue(line, Reply.class);
  }
}
